// The list of passes: what each did, switching them off, moving, adding. The model is a flat list of rows; `loop`, `on` and `group` open
// steps, `then` and `end` close them.

const OPENS = new Set(["loop", "on", "group"]);

/** The text of a pipeline of rows that are on. */
export function textOf(rows) {
  const stack = [{ items: [] }];
  const close = () => {
    const { head, items } = stack.pop();
    return `${head}(${items.join(", ")})`;
  };
  for (const row of rows) {
    if (row.kind === "pass") {
      if (!row.off) stack.at(-1).items.push(row.text);
    } else if (OPENS.has(row.kind)) {
      stack.push({ head: row.text, items: [] });
    } else if (row.kind === "then") {
      stack.push({ head: `${close()} then`, items: [] });
    } else {
      const text = close();
      stack.at(-1).items.push(text);
    }
  }
  return stack[0].items.join(", ");
}

/** A row before a run. */
export const rowOf = (kind, text, off = false) => ({ kind, text, off, runs: 0, changed: 0, us: 0, instrs: 0, steps: [], skipped: 0 });

const short = (us) => (us < 1 ? "" : us < 1000 ? `${Math.round(us)} µs` : `${(us / 1000).toFixed(1)} ms`);

export class PipelineList {
  /** `onEdit(rows)` is told a changed list, `onStep(step)` a step to show. */
  constructor(list, { onEdit, onStep }) {
    Object.assign(this, { list, onEdit, onStep, rows: [], selected: 0, onlyChanged: false, step: 0 });
    list.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("click", (event) => this.click(event));
    list.addEventListener("dragstart", (event) => {
      this.dragged = Number(event.target.closest("li")?.dataset.row);
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", String(this.dragged));
    });
    list.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.list.querySelector(".drop")?.classList.remove("drop");
      event.target.closest("li")?.classList.add("drop");
    });
    list.addEventListener("drop", (event) => {
      event.preventDefault();
      const to = event.target.closest("li");
      if (to && this.dragged >= 0) this.move(this.dragged, Number(to.dataset.row));
    });
  }

  /** Takes the rows of a run. Rows that are off are kept if the others are the same. */
  show(run) {
    const on = this.rows.filter((row) => !row.off);
    const same = on.length === run.rows.length && on.every((row, n) => row.kind === run.rows[n].kind && row.text === run.rows[n].text);
    if (!same) this.rows = run.rows.map(({ kind, text }) => rowOf(kind, text));
    const target = this.rows.filter((row) => !row.off);
    for (const row of this.rows) Object.assign(row, rowOf(row.kind, row.text, row.off));
    run.rows.forEach(({ skipped }, n) => (target[n].skipped = skipped));
    let instrs = run.instrs;
    for (const ran of run.ran) {
      const row = target[ran.row];
      if (!row) continue;
      row.runs += 1;
      row.us += ran.us;
      row.instrs += ran.instrs - instrs;
      instrs = ran.instrs;
      if (ran.changed) {
        row.changed += 1;
        row.steps.push(ran.shader);
      }
    }
    this.draw();
  }

  setStep(step) {
    this.step = step;
    const row = this.rows.findIndex((row) => row.steps?.includes(step));
    for (const item of this.list.children) item.classList.toggle("current", Number(item.dataset.row) === row);
    const current = this.list.querySelector(".current");
    if (current && step) {
      const { offsetTop, offsetHeight } = current;
      const { scrollTop, clientHeight } = this.list;
      if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight) {
        this.list.scrollTop = offsetTop - clientHeight / 2;
      }
    }
  }

  draw() {
    let depth = 0;
    const items = [];
    this.rows.forEach((row, n) => {
      if (row.kind === "end" || row.kind === "then") depth -= 1;
      const shown = !this.onlyChanged || (row.kind === "pass" && (row.changed > 0 || row.off));
      if (shown && row.kind !== "end") items.push(this.item(row, n, this.onlyChanged ? 0 : depth));
      if (OPENS.has(row.kind) || row.kind === "then") depth += 1;
    });
    this.list.replaceChildren(...items);
    this.select(Math.min(this.selected, this.rows.length - 1), false);
    this.setStep(this.step);
  }

  item(row, n, depth) {
    const item = document.createElement("li");
    item.dataset.row = n;
    item.role = "option";
    item.id = `row-${n}`;
    item.style.setProperty("--depth", depth);
    item.className = `${row.kind}${row.changed ? " changed" : ""}${row.off ? " off" : ""}`;
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = row.text;
    if (row.kind !== "pass") {
      item.append(name);
      return item;
    }
    item.draggable = true;
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = !row.off;
    box.tabIndex = -1;
    box.setAttribute("aria-label", `run ${row.text}`);
    const note = document.createElement("span");
    note.className = "note";
    if (row.changed) {
      const delta = row.instrs > 0 ? `+${row.instrs}` : row.instrs < 0 ? `−${-row.instrs}` : "±0";
      note.append(Object.assign(document.createElement("b"), { textContent: delta }));
    }
    note.append(` ${row.off ? "off" : short(row.us)}`);
    const runs = `${row.runs} ${row.runs === 1 ? "run" : "runs"}, ${row.changed} with changes, ${row.skipped} skipped`;
    item.title = `${row.text}\n${runs}, ${row.us.toFixed(0)} µs, ${row.instrs >= 0 ? "+" : ""}${row.instrs} instructions`;
    item.append(box, name, note);
    return item;
  }

  select(row, scroll = true) {
    this.selected = Math.max(row, 0);
    for (const item of this.list.children) {
      const is = Number(item.dataset.row) === this.selected;
      item.setAttribute("aria-selected", is);
      if (is) {
        this.list.setAttribute("aria-activedescendant", item.id);
        if (scroll) item.scrollIntoView({ block: "nearest" });
      }
    }
  }

  click(event) {
    const item = event.target.closest("li");
    if (!item) return;
    const row = Number(item.dataset.row);
    this.select(row);
    if (event.target.type === "checkbox") this.toggle(row);
    else this.show_after(row);
  }

  /** Shows the state after the next run of a pass that changed something. */
  show_after(row) {
    const steps = this.rows[row]?.steps ?? [];
    if (!steps.length) return;
    const at = steps.indexOf(this.step);
    this.onStep(steps[(at + 1) % steps.length]);
  }

  toggle(row) {
    if (this.rows[row]?.kind !== "pass") return;
    this.rows[row].off = !this.rows[row].off;
    this.onEdit();
  }

  /** Moves a pass to where another row is. */
  move(from, to) {
    if (this.rows[from]?.kind !== "pass" || from === to) return;
    const [row] = this.rows.splice(from, 1);
    this.rows.splice(to, 0, row);
    this.selected = to;
    this.onEdit();
  }

  add(text) {
    this.rows.splice(this.rows.length ? this.selected + 1 : 0, 0, rowOf("pass", text));
    this.selected += 1;
    this.onEdit();
  }

  key(event) {
    const visible = [...this.list.children].map((item) => Number(item.dataset.row));
    const at = visible.indexOf(this.selected);
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by && event.altKey) {
      this.move(this.selected, Math.min(Math.max(this.selected + by, 0), this.rows.length - 1));
    } else if (by) {
      this.select(visible[Math.min(Math.max(at + by, 0), visible.length - 1)] ?? 0);
    } else if (event.key === " ") {
      this.toggle(this.selected);
    } else if (event.key === "Enter") {
      this.show_after(this.selected);
    } else if (event.key === "Home" || event.key === "End") {
      this.select(visible.at(event.key === "Home" ? 0 : -1) ?? 0);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

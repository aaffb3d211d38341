// The page: holds its state, asks the engine, and shows the answers. Everything is keyed to a turn, which a change of the source or
// the pipeline starts; answers of earlier turns are dropped.

import { Engine } from "./engine.js";
import { TextView } from "./editor.js";
import { PipelineList, rowOf, textOf } from "./pipeline.js";
import { Picture } from "./picture.js";
import { drawGraph } from "./graph.js";
import { encode, decode } from "./share.js";
import { EXAMPLES } from "./examples.js";

const $ = (id) => document.getElementById(id);
const TABS = ["ir", "air", "spirv", "reflection", "graph", "trace"];

const state = { kind: "glsl", stage: "fragment", level: "O2", rows: null, step: 0, last: 0, tab: "air", diff: true, turn: 0, ok: false };
/** Answers of this turn. */
let made = {};
/** Opens a fragment shader, for tests. */
window.explorerOpen = (text) => open({ kind: "glsl", stage: "fragment", text });
/** Times of the last change in milliseconds, for tests and the status line. */
const times = (window.explorerTimes = {});

const engine = new Engine((why) => {
  status(`internal error: ${why}`, "bad");
});
const ask = (request) => engine.ask(request);

const source = new TextView($("source"), { label: "Source", onChange: () => changed(), onHover: (line) => hover(line, source) });
const output = new TextView($("output"), { label: "Output", onHover: (line) => hover(line, output) });
const passes = new PipelineList($("passes"), {
  onEdit: () => edited(),
  onStep: (step) => goToStep(step),
});
const picture = new Picture(
  { canvas: $("image"), cross: $("cross"), note: $("image-note"), controls: $("controls") },
  { ask, onTrace: () => selectTab("trace"), onValues: () => (redraw(), state.tab === "trace" && show()) },
);

function status(text, kind = "") {
  $("status").textContent = text;
  $("status").className = kind;
}

function hover(line, from) {
  source.activate(line, from !== source);
  output.activate(line, from !== output);
  for (const row of $("trace").querySelectorAll("[data-line]")) row.classList.toggle("linked", line > 0 && Number(row.dataset.line) === line);
}

function request() {
  const [kind, vulkan] = state.kind.split("-");
  const pipeline = state.rows ? textOf(state.rows) : undefined;
  return { op: "compile", kind, vulkan: vulkan === "vulkan", stage: state.stage, level: state.level, text: source.text(), pipeline };
}

/** At each key press: AIR first, then what is visible. While an answer is awaited, only the last state of the source is kept. */
let compiling = false;
let again = false;
async function changed() {
  state.turn += 1;
  picture.stop();
  if (compiling) {
    again = true;
    return;
  }
  compiling = true;
  const start = performance.now();
  try {
    do {
      again = false;
      await compile(state.turn, start);
    } while (again);
  } finally {
    compiling = false;
  }
}

async function compile(turn, start) {
  let answer;
  try {
    const data = await ask(request());
    answer = data.json;
    times.begun = data.start - performance.timeOrigin - start;
    times.ended = data.end - performance.timeOrigin - start;
  } catch (error) {
    faults([{ severity: "error", code: "", message: error.message, line: 0 }]);
    status(`internal error: ${error.message}`, "bad");
    return;
  }
  if (turn !== state.turn) return;
  times.answer = performance.now() - start;
  const lines = made.lines;
  made = { compiled: answer, lines: answer.air === made.compiled?.air ? lines : undefined };
  faults(answer.diagnostics, answer.plan_faults, answer.air_faults);
  state.ok = answer.ok;
  if (!answer.ok) {
    status(`${answer.diagnostics.length === 1 ? "1 error" : `${answer.diagnostics.length} errors`}`, "bad");
    picture.clear("");
    document.body.classList.add("stale");
    return;
  }
  document.body.classList.remove("stale");
  if (state.tab === "air") await show();
  times.air = performance.now() - start;
  const { read, passes: passed, air } = answer.times;
  const total = (read + passed + air) / 1000;
  if (answer.air_faults) status("no AIR", "bad");
  else if (answer.plan_faults) status("the pipeline has an error", "bad");
  else status(`AIR in ${total.toFixed(1)} ms · ${answer.bytes.toLocaleString("en")} bytes`, "good");
  $("status").title = `read ${(read / 1000).toFixed(2)} ms, passes ${(passed / 1000).toFixed(2)} ms, AIR ${(air / 1000).toFixed(2)} ms`;
  if (answer.plan_faults) return picture.clear("");
  await run(turn);
  if (turn !== state.turn) return;
  if (state.tab !== "air") await show();
  link(turn);
  if (answer.stage === "fragment") {
    const world = await ask({ op: "world" }).catch((error) => picture.clear(error.message));
    if (turn !== state.turn) return;
    if (world) {
      picture.open(world.json);
      await picture.draw(state.step);
    }
  } else {
    picture.clear("only fragment shaders are drawn");
    picture.open({ inputs: [], uniforms: [] });
  }
  if (turn === state.turn) times.all = performance.now() - start;
}

/** The pipeline step by step. */
async function run(turn) {
  const { json } = await ask({ op: "steps" });
  if (turn !== state.turn) return;
  made.steps = json;
  passes.show(json);
  if (state.rows) state.rows = passes.rows;
  const last = Math.max(0, ...json.ran.map((ran) => ran.shader));
  // The end is followed, other steps stay.
  if (state.step >= state.last || state.step > last) state.step = last;
  state.last = last;
  $("step").max = last;
  $("pipeline-note").textContent = state.rows ? "edited" : "";
  $("pipeline-note").title = `${json.rows.filter((row) => row.kind === "pass").length} passes, ${last} changes`;
  $("reset").disabled = !state.rows;
  if (json.faults.length) faults(made.compiled.diagnostics, json.faults);
  showStep();
}

function showStep() {
  $("step").value = state.step;
  passes.setStep(state.step);
  const ran = made.steps?.ran.find((ran) => ran.changed && ran.shader === state.step);
  const name = ran ? (ran.chosen ?? made.steps.rows[ran.row].text) : "as read";
  const size = ran ? `${ran.instrs} instructions` : `${made.steps?.instrs ?? 0} instructions`;
  $("step-name").textContent = `${state.step ? `${state.step} of ${state.last}: after ${name}` : name} · ${size}`;
  $("step").setAttribute("aria-valuetext", $("step-name").textContent);
}

function goToStep(step) {
  state.step = Math.min(Math.max(step, 0), state.last);
  showStep();
  show();
  redraw();
}

function redraw() {
  if (state.ok && made.compiled?.stage === "fragment") picture.draw(state.step);
}

/** The pipeline was edited in the list. */
function edited() {
  state.rows = passes.rows;
  passes.draw();
  changed();
}

function faults(...lists) {
  const all = lists.filter(Boolean).flat();
  source.diagnose(lists[0] ?? []);
  $("faults").replaceChildren(
    ...all.map((fault) => {
      const item = document.createElement("li");
      item.className = fault.severity;
      const inSource = lists[0]?.includes(fault) && fault.line > 0;
      const place = inSource ? `${fault.line}:${fault.column} ` : fault.place ? `${fault.place} ` : "";
      const where = inSource ? "" : lists[0]?.includes(fault) ? "" : "pipeline: ";
      item.textContent = `${where}${place}${fault.code} ${fault.message}${fault.help ? ` (${fault.help})` : ""}`;
      if (inSource) item.addEventListener("click", () => source.goTo(fault.line, fault.column));
      return item;
    }),
  );
}

/** Source lines of the lines of IR, and of SPIR-V with OpLine. */
const linesOfIr = (text) => text.split("\n").map((line) => Number(/ @\d+:(\d+)$/.exec(line)?.[1] ?? 0));
function linesOfSpirv(text) {
  let current = 0;
  return text.split("\n").map((line) => {
    const found = /OpLine %\S+ (\d+) /.exec(line);
    if (found) current = Number(found[1]);
    else if (/Op(NoLine|Label|FunctionEnd|Branch|Return|Kill|SelectionMerge|LoopMerge)/.test(line)) current = 0;
    return current;
  });
}

/** Colours the source lines that have code after the pipeline. */
async function link(turn) {
  const { json } = await ask({ op: "lines" }).catch(() => ({ json: { lines: [] } }));
  if (turn !== state.turn) return;
  made.lines = json.lines;
  const used = new Set(json.lines);
  if (state.kind.startsWith("glsl")) source.link(source.text().split("\n").map((_, n) => (used.has(n + 1) ? n + 1 : 0)));
  if (state.tab === "air") output.link(made.lines);
}

let showing = 0;
/** Fills the visible output. */
async function show() {
  const [turn, ticket] = [state.turn, ++showing];
  if (!made.compiled?.ok) return;
  $("output").hidden = ["graph", "trace"].includes(state.tab);
  $("graph").hidden = state.tab !== "graph";
  $("trace").hidden = state.tab !== "trace";
  try {
    await SHOW[state.tab](() => turn !== state.turn || ticket !== showing);
  } catch (error) {
    if (turn === state.turn) summary(error.message);
  }
}

function summary(text) {
  $("summary").textContent = text;
}

const failure = (list) => list.map((fault) => `${fault.code}: ${fault.message}`).join("\n");

const SHOW = {
  async ir(old) {
    const diff = state.diff && state.step > 0;
    const { json } = await ask({ op: "ir", step: state.step, diff });
    if (old()) return;
    const { instrs, blocks, loops, pressure } = json.counts;
    summary(`form ${json.form} · ${instrs} instructions, ${blocks} blocks, ${loops} loops, ${pressure} live 16-bit units at the peak`);
    const text = diff ? json.diff.map(([, line]) => line).join("\n") : json.text;
    output.set(text, { lines: linesOfIr(text), marks: diff ? json.diff.map(([mark]) => mark) : [], language: "ir" });
  },
  async air() {
    const { air, air_faults: list, bytes } = made.compiled;
    summary(air === undefined ? failure(list ?? []) : `after the whole pipeline · library of ${bytes} bytes`);
    output.set(air ?? "", { lines: made.lines, language: "air" });
  },
  async spirv(old) {
    const { json } = await ask({ op: "spirv", step: state.step });
    if (old()) return;
    const form = json.optimized ? "this step has no SPIR-V form: the source after the preset `spirv`" : "of this step";
    summary(json.faults ? failure(json.faults) : `${form} · ${json.bytes} bytes`);
    const text = json.text ?? "";
    output.set(text, { lines: linesOfSpirv(text), language: "spirv" });
  },
  async reflection(old) {
    const { json } = await ask({ op: "reflection" });
    if (old()) return;
    summary("Metal index of each resource, and the interface of the program");
    output.set(json.text, { language: "json" });
  },
  async graph(old) {
    const view = $("graph-view").value;
    const { json } = await ask({ op: "graph", step: state.step, view });
    if (old()) return;
    made.dot = json.dot;
    summary(`${json.nodes.length} nodes, ${json.edges.length} edges · drag to move, Ctrl and wheel to zoom`);
    drawGraph($("graph"), json);
  },
  async trace(old) {
    if (made.compiled.stage !== "fragment") return summary("only fragment shaders are traced");
    if (!picture.pixel) {
      $("trace").replaceChildren();
      return summary("click on the image to trace a pixel");
    }
    const [x, y] = picture.pixel;
    const { json } = await ask(picture.request("pixel", { step: state.step, size: picture.canvas.width, x, y }));
    if (old()) return;
    summary(`pixel ${x}, ${y} · ${json.lines.length} values · colour ${json.color?.map((c) => Number(c).toPrecision(4)).join(", ")}`);
    const table = document.createElement("table");
    let last = 0;
    for (const { line, text, values } of json.lines.slice(0, 3000)) {
      const row = table.insertRow();
      row.dataset.line = line;
      if (line) row.className = `link link${line % 8}`;
      row.insertCell().textContent = line && line !== last ? line : "";
      row.insertCell().textContent = text;
      row.insertCell().textContent = values?.join(", ") ?? "";
      row.addEventListener("mouseenter", () => hover(line, null));
      last = line;
    }
    $("trace").replaceChildren(table);
  },
};

function selectTab(tab) {
  state.tab = tab;
  for (const button of document.querySelectorAll("[data-tab]")) button.setAttribute("aria-selected", button.dataset.tab === tab);
  $("diff").hidden = tab !== "ir";
  $("graph-view").hidden = $("dot").hidden = tab !== "graph";
  if (window.innerWidth < 800 && tab === "trace") document.body.dataset.panel = "output";
  show();
}

function setKind(kind, stage) {
  state.kind = kind;
  state.stage = stage ?? state.stage;
  $("kind").value = kind;
  $("stage").value = state.stage;
  $("stage-label").hidden = !kind.startsWith("glsl");
}

function open({ kind, stage, text, uniforms, shapes }) {
  setKind(kind, stage);
  state.rows = null;
  state.step = state.last = 0;
  picture.names = null;
  picture.uniforms = structuredClone(uniforms ?? {});
  picture.shapes = { ...shapes };
  source.set(text, { language: kind.split("-")[0], keepScroll: false });
  changed();
}

const snapshot = () => ({
  v: 1,
  kind: state.kind,
  stage: state.stage,
  level: state.level,
  text: source.text(),
  rows: state.rows?.map(({ kind, text, off }) => [kind, text, off ? 1 : 0]),
  step: state.step === state.last ? null : state.step,
  tab: state.tab,
  diff: state.diff,
  view: $("graph-view").value,
  uniforms: picture.uniforms,
  shapes: picture.shapes,
  pixel: picture.pixel,
});

async function restore(hash) {
  const from = await decode(hash);
  if (typeof from.text !== "string") throw new Error("the address has no source");
  state.level = from.level === "O0" ? "O0" : "O2";
  $("level").value = state.level;
  $("graph-view").value = from.view ?? "cfg";
  setDiff(from.diff !== false);
  state.tab = TABS.includes(from.tab) ? from.tab : "air";
  if (from.pixel) picture.mark(...from.pixel);
  open({ kind: from.kind, stage: from.stage, text: from.text, uniforms: from.uniforms, shapes: from.shapes });
  state.rows = from.rows?.map(([kind, text, off]) => rowOf(kind, text, Boolean(off))) ?? null;
  if (state.rows) passes.rows = state.rows;
  if (from.step !== null && from.step !== undefined) [state.step, state.last] = [from.step, Infinity];
  selectTab(state.tab);
  changed();
}

async function share() {
  location.hash = await encode(snapshot());
  try {
    await navigator.clipboard.writeText(location.href);
    status("link copied", "good");
  } catch {
    status("the link is in the address bar", "good");
  }
}

function setDiff(on) {
  state.diff = on;
  $("diff").setAttribute("aria-pressed", on);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Without storage, the next visit starts with the system's.
  }
}

const toggleTheme = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");

function panel(name) {
  document.body.dataset.panel = name;
  for (const button of document.querySelectorAll("nav button")) button.setAttribute("aria-current", button.dataset.panel === name);
  if (name === "output") show();
}

function wire() {
  for (const button of document.querySelectorAll("[data-tab]")) button.addEventListener("click", () => selectTab(button.dataset.tab));
  for (const button of document.querySelectorAll("nav button")) button.addEventListener("click", () => panel(button.dataset.panel));
  EXAMPLES.forEach(({ name }, n) => $("example").add(new Option(name, n)));
  $("example").addEventListener("change", () => open(EXAMPLES[$("example").value]));
  $("kind").addEventListener("change", () => {
    setKind($("kind").value);
    source.set(source.text(), { language: state.kind.split("-")[0] });
    changed();
  });
  $("stage").addEventListener("change", () => ((state.stage = $("stage").value), changed()));
  $("level").addEventListener("change", () => {
    state.level = $("level").value;
    state.rows = null;
    changed();
  });
  $("step").addEventListener("input", () => goToStep(Number($("step").value)));
  $("back").addEventListener("click", () => goToStep(state.step - 1));
  $("forward").addEventListener("click", () => goToStep(state.step + 1));
  $("reset").addEventListener("click", () => {
    state.rows = null;
    passes.rows = [];
    changed();
  });
  $("only-changed").addEventListener("click", () => {
    passes.onlyChanged = !passes.onlyChanged;
    $("only-changed").setAttribute("aria-pressed", passes.onlyChanged);
    passes.draw();
  });
  $("add").addEventListener("change", () => {
    passes.add($("add").value);
    $("add").value = "";
  });
  $("edit-text").addEventListener("click", () => {
    const area = $("pipeline-text");
    area.hidden = !area.hidden;
    if (!area.hidden) area.value = textOf(passes.rows).replaceAll(", ", ",\n");
  });
  $("pipeline-text").addEventListener("input", () => {
    // The rows come back with the answer.
    state.rows = [rowOf("pass", $("pipeline-text").value)];
    passes.rows = [];
    changed();
  });
  $("diff").addEventListener("click", () => (setDiff(!state.diff), show()));
  $("graph-view").addEventListener("change", show);
  $("dot").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = `data:text/vnd.graphviz,${encodeURIComponent(made.dot ?? "")}`;
    link.download = `${$("graph-view").value}.dot`;
    link.click();
  });
  $("share").addEventListener("click", share);
  $("theme").addEventListener("click", toggleTheme);
  $("help").addEventListener("click", () => $("keys").showModal());
  document.addEventListener("keydown", key);
  window.addEventListener("hashchange", () => location.hash.length > 1 && !location.hash.endsWith(shared) && restore(location.hash.slice(1)).catch(() => {}));
}

let shared = "-";

function key(event) {
  const typing = event.target.closest?.(".cm-editor, input, textarea, select");
  if (event.key === "?" && !typing) return $("keys").showModal();
  if (!event.altKey || event.ctrlKey || event.metaKey) return;
  const digit = /^Digit([1-6])$/.exec(event.code)?.[1];
  const actions = {
    ArrowLeft: () => goToStep(state.step - 1),
    ArrowRight: () => goToStep(state.step + 1),
    KeyD: () => (setDiff(!state.diff), show()),
    KeyE: () => source.view.focus(),
    KeyP: () => $("passes").focus(),
    KeyS: share,
    KeyT: toggleTheme,
  };
  const action = digit ? () => selectTab(TABS[digit - 1]) : actions[event.code];
  if (!action) return;
  event.preventDefault();
  action();
}

async function start() {
  let theme;
  try {
    theme = localStorage.getItem("theme");
  } catch {
    theme = null;
  }
  setTheme(theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  wire();
  selectTab(state.tab);
  panel("source");
  await engine.ready;
  const { json } = await ask({ op: "passes" });
  for (const { name, passes: list } of json.groups) {
    const group = document.createElement("optgroup");
    group.label = name;
    for (const pass of list) group.append(Object.assign(new Option(pass.name), { title: pass.summary }));
    $("add").append(group);
  }
  if (location.hash.length > 1) {
    try {
      return await restore(location.hash.slice(1));
    } catch {
      status("the address holds no state", "bad");
    }
  }
  // `airfoil explore FILE` serves the file.
  const served = await fetch("source.json").then((response) => (response.ok ? response.json() : null), () => null);
  open(served ?? EXAMPLES[0]);
}

start();

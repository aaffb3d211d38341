// The image of a fragment shader: drawn in the worker in bands, first coarse, then fine; sliders for what it reads; the pixel to trace.

const COARSE = [48, 32, 24, 16];
const FINE = 192;
/** Milliseconds that the coarse image may take, and a request for a part of the fine one, which a key press has to wait for. */
const COARSE_TIME = 20;
const BAND_TIME = 4;

/** Values of the inputs at the four corners: low low, high x, high y, high both. */
const SHAPES = {
  "x, y": (x, y) => [x, y, 0, 1],
  "x, 0, y": (x, y) => [x, 0, y, 1],
  "±x, ±y": (x, y) => [2 * x - 1, 2 * y - 1, 0, 1],
  "0, 1, 0": () => [0, 1, 0, 0],
  "0, 0, 1": () => [0, 0, 1, 0],
  "1, 1, 1": () => [1, 1, 1, 1],
};

/** The shape that a name suggests. */
const shapeOf = (name) => (/norm/i.test(name) ? "0, 0, 1" : /colou?r|tint/i.test(name) ? "1, 1, 1" : "x, y");

const range = (name, type) => {
  if (type === "bool") return [0, 1, 1];
  if (type !== "float") return [type === "int" ? -8 : 0, 16, 1];
  if (/time|angle|phase/i.test(name)) return [0, 20, 0.01];
  if (/size|resolution|extent/i.test(name)) return [0, 512, 1];
  if (/eye|pos|place|centre|center|offset|scale/i.test(name)) return [-4, 4, 0.01];
  return [0, 1, 0.005];
};

const preset = (name, type, numbers) => {
  if (numbers === 16) return Array.from({ length: 16 }, (_, n) => (n % 5 === 0 ? 1 : 0));
  if (numbers === 9) return Array.from({ length: 9 }, (_, n) => (n % 4 === 0 ? 1 : 0));
  const value = type !== "float" ? 1 : /time/i.test(name) ? 0 : /size|resolution/i.test(name) ? FINE : 0.5;
  return Array.from({ length: numbers }, () => value);
};

export class Picture {
  constructor({ canvas, cross, note, controls }, { ask, onTrace, onValues }) {
    Object.assign(this, { canvas, cross, note, controls, ask, onTrace, onValues });
    this.context = canvas.getContext("2d");
    this.turn = 0;
    this.uniforms = {};
    this.shapes = {};
    this.pixel = null;
    this.step = 0;
    // Milliseconds per pixel of the last part.
    this.cost = COARSE_TIME / COARSE[0] ** 2;
    canvas.addEventListener("click", (event) => {
      const box = canvas.getBoundingClientRect();
      const at = (value, size) => Math.min(Math.max(Math.floor((value / size) * FINE), 0), FINE - 1);
      this.choose(at(event.clientX - box.left, box.width), at(event.clientY - box.top, box.height));
    });
    canvas.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (event.altKey || (!by && event.key !== "Enter")) return;
      event.preventDefault();
      const [x, y] = this.pixel ?? [FINE / 2, FINE / 2];
      const inside = (n) => Math.min(Math.max(n, 0), FINE - 1);
      if (by) this.mark(inside(x + by[0]), inside(y + by[1]));
      else this.choose(x, y);
    });
  }

  mark(x, y) {
    this.pixel = [x, y];
    this.cross.hidden = false;
    this.cross.style.left = `${((x + 0.5) / FINE) * 100}%`;
    this.cross.style.top = `${((y + 0.5) / FINE) * 100}%`;
  }

  choose(x, y) {
    this.mark(x, y);
    this.onTrace();
  }

  request(op, more) {
    const inputs = {};
    for (const [name, shape] of Object.entries(this.shapes)) {
      inputs[name] = [0, 1, 2, 3].map((n) => SHAPES[shape](n & 1, n >> 1));
    }
    return { op, step: this.step, inputs, uniforms: this.uniforms, ...more };
  }

  /** The world of a new source: controls for what it reads. Values of the same names stay. */
  open(world) {
    const names = JSON.stringify(world);
    if (this.names === names) return;
    this.names = names;
    const known = { uniforms: this.uniforms, shapes: this.shapes };
    this.uniforms = {};
    this.shapes = {};
    const parts = [];
    for (const { name, type, numbers } of world.uniforms) {
      const old = known.uniforms[name];
      this.uniforms[name] = old?.length === numbers ? old : preset(name, type, numbers);
      parts.push(this.uniform(name, type));
    }
    for (const { name } of world.inputs) {
      this.shapes[name] = known.shapes[name] in SHAPES ? known.shapes[name] : shapeOf(name);
      parts.push(this.input(name));
    }
    this.controls.replaceChildren(...parts);
    this.controls.hidden = parts.length === 0;
  }

  uniform(name, type) {
    const [low, high, step] = range(name, type);
    const group = document.createElement("fieldset");
    const numbers = this.uniforms[name].length;
    group.style.setProperty("--columns", numbers === 9 ? 3 : Math.min(numbers, 4));
    const legend = document.createElement("legend");
    legend.textContent = name;
    const output = document.createElement("output");
    const shown = () => (output.textContent = this.uniforms[name].map((n) => Number(n.toFixed(3))).join(", "));
    legend.append(" ", output);
    group.append(legend);
    this.uniforms[name].forEach((value, n) => {
      const slider = document.createElement("input");
      const wider = [Math.min(low, value), Math.max(high, value)];
      Object.assign(slider, { type: "range", min: wider[0], max: wider[1], step, value });
      slider.setAttribute("aria-label", this.uniforms[name].length > 1 ? `${name}, component ${n}` : name);
      slider.addEventListener("input", () => {
        this.uniforms[name][n] = Number(slider.value);
        shown();
        this.onValues();
      });
      group.append(slider);
    });
    shown();
    return group;
  }

  input(name) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    for (const shape of Object.keys(SHAPES)) select.add(new Option(shape));
    select.value = this.shapes[name];
    select.addEventListener("change", () => {
      this.shapes[name] = select.value;
      this.onValues();
    });
    label.append(`in ${name} `, select);
    return label;
  }

  /** Draws no more parts of the fine image: the worker has more urgent work. */
  stop() {
    this.turn++;
  }

  clear(why) {
    this.stop();
    this.canvas.classList.add("stale");
    this.note.textContent = why;
  }

  /** Draws the shader after a step. A later call stops an earlier one. Resolves when the coarse image is there. */
  async draw(step) {
    const turn = ++this.turn;
    this.step = step;
    const show = async (size, from, to) => {
      const { bytes, json, start, end } = await this.ask(this.request("image", { size, from, to }));
      this.cost = (end - start) / (size * (to - from));
      if (turn !== this.turn || bytes.length === 0) return false;
      const part = new ImageData(new Uint8ClampedArray(bytes), size, to - from);
      if (size === FINE) {
        this.context.putImageData(part, 0, from);
      } else {
        const bitmap = new OffscreenCanvas(size, size);
        bitmap.getContext("2d").putImageData(part, 0, 0);
        this.context.imageSmoothingEnabled = false;
        this.context.drawImage(bitmap, 0, 0, FINE, FINE);
      }
      this.canvas.classList.remove("stale");
      this.note.textContent = json.undefined ? "parts are undefined" : "";
      return true;
    };
    try {
      const coarse = COARSE.find((size) => size * size * this.cost <= COARSE_TIME) ?? COARSE.at(-1);
      if (!(await show(coarse, 0, coarse))) return;
    } catch (error) {
      if (turn === this.turn) this.clear(error.message);
      return;
    }
    const rest = async () => {
      for (let from = 0, to; from < FINE; from = to) {
        const rows = Math.max(Math.floor(BAND_TIME / (this.cost * FINE)), 4);
        to = Math.min(from + rows, FINE);
        if (!(await show(FINE, from, to))) return;
      }
      this.canvas.dataset.drawn = step;
    };
    rest().catch((error) => turn === this.turn && this.clear(error.message));
  }
}

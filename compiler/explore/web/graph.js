// Graphs as SVG, laid out by dagre; wheel and drag move the view.

import * as dagre from "@dagrejs/dagre";

const NS = "http://www.w3.org/2000/svg";
const LINE = 15;
const CHAR = 6.7;

function element(name, attributes, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const clip = (text) => (text.length > 64 ? `${text.slice(0, 62)} …` : text);

export function drawGraph(parent, { nodes, edges }) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 34, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  nodes.forEach(({ title, lines }, n) => {
    const texts = [clip(title), ...lines.map(clip)];
    const width = Math.max(...texts.map((text) => text.length)) * CHAR + 18;
    graph.setNode(String(n), { width: Math.max(width, 40), height: texts.length * LINE + 10, texts });
  });
  edges.forEach(([from, to, label], n) => graph.setEdge(String(from), String(to), { label, width: label.length * CHAR, height: LINE, labelpos: "c" }, String(n)));
  dagre.layout(graph);
  const { width, height } = graph.graph();
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `graph of ${nodes.length} nodes` });
  const defs = element("defs", {});
  const marker = element("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
  marker.append(element("path", { d: "M0 0L8 4L0 8z", class: "arrow" }));
  defs.append(marker);
  svg.append(defs);
  for (const key of graph.edges()) {
    const { points, label, x, y } = graph.edge(key);
    const path = points.map(({ x, y }, n) => `${n ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    svg.append(element("path", { d: path, class: `edge ${label}`, "marker-end": "url(#arrow)" }));
    if (label) svg.append(element("text", { x, y: y + 4, class: "label" }, label));
  }
  graph.nodes().forEach((key) => {
    const { x, y, width, height, texts } = graph.node(key);
    const group = element("g", { class: nodes[key].marked ? "node marked" : "node", transform: `translate(${x - width / 2} ${y - height / 2})` });
    group.append(element("rect", { width, height, rx: 5 }));
    texts.forEach((text, n) => group.append(element("text", { x: 9, y: 17 + n * LINE, class: n ? "" : "title" }, text)));
    svg.append(group);
  });
  parent.replaceChildren(svg);
  move(parent, svg, width, height);
}

/** Zoom and pan through the view box. Small graphs have their natural size. */
function move(parent, svg, width, height) {
  const box = parent.getBoundingClientRect();
  const scale = Math.min(1, Math.max(box.width / width, 0.35));
  let view = { x: (width - box.width / scale) / 2, y: 0, w: box.width / scale, h: box.height / scale };
  const apply = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  apply();
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) {
      const factor = Math.exp(event.deltaY * 0.003);
      const bounds = svg.getBoundingClientRect();
      const [u, v] = [(event.clientX - bounds.left) / bounds.width, (event.clientY - bounds.top) / bounds.height];
      view = { x: view.x + view.w * u * (1 - factor), y: view.y + view.h * v * (1 - factor), w: view.w * factor, h: view.h * factor };
    } else {
      view.x += (event.deltaX * view.w) / box.width;
      view.y += (event.deltaY * view.h) / box.height;
    }
    apply();
  });
  let last = null;
  svg.addEventListener("pointerdown", (event) => {
    last = [event.clientX, event.clientY];
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!last) return;
    view.x -= ((event.clientX - last[0]) * view.w) / box.width;
    view.y -= ((event.clientY - last[1]) * view.h) / box.height;
    last = [event.clientX, event.clientY];
    apply();
  });
  svg.addEventListener("pointerup", () => (last = null));
}

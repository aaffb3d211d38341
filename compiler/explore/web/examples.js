// Examples: sources with values for what they read.

import sea from "../../../examples/shaders/sea.frag";
import blur from "../../../examples/shaders/blur.comp";
import lit from "../../../examples/shaders/lit.vert";
import fade from "../../../examples/shaders/fade.foil";
import rings from "./examples/rings.frag";
import sphere from "./examples/sphere.frag";

export const EXAMPLES = [
  {
    name: "Sea: noise, reflections, foam",
    kind: "glsl",
    stage: "fragment",
    text: sea,
    uniforms: {
      eye: [0.5, 0.35, -0.5],
      time: [1.5],
      "water.deep": [0.02, 0.1, 0.25],
      "water.shallow": [0.1, 0.45, 0.5],
      "water.ripple": [16],
      "water.crest": [0],
    },
    shapes: { place: "x, 0, y", normal: "0, 1, 0" },
  },
  {
    name: "Sphere: tracing with a loop",
    kind: "glsl",
    stage: "fragment",
    text: sphere,
    uniforms: { time: [1], sun_color: [1, 0.95, 0.8], light: [0.5, 0.9, 0.6], shadows: [1] },
    shapes: { uv: "x, y" },
  },
  {
    name: "Rings: two functions",
    kind: "glsl",
    stage: "fragment",
    text: rings,
    uniforms: { time: [2], rings: [0.4], tint: [0.2, 0.75, 0.9] },
    shapes: { uv: "x, y" },
  },
  { name: "Blur: compute with shared memory", kind: blur.includes("set =") ? "glsl-vulkan" : "glsl", stage: "compute", text: blur },
  { name: "Lit: vertex", kind: lit.includes("set =") || lit.includes("push_constant") ? "glsl-vulkan" : "glsl", stage: "vertex", text: lit },
  { name: "Fade: IR text", kind: "foil", stage: "fragment", text: fade },
];

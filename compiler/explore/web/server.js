// Airfoil in the server of the page, for passes that the module does not have. `airfoil explore` serves this script as worker.js then.

import { parts, send } from "./answer.js";

const headers = { "Content-Type": "application/json", "Airfoil-Page": crypto.randomUUID() };
let last = Promise.resolve();

async function answer({ data: { id, request } }) {
  const start = performance.now();
  try {
    const response = await fetch("call", { method: "POST", headers, body: JSON.stringify(request) });
    if (!response.ok) throw new Error(await response.text());
    const found = parts(new Uint8Array(await response.arrayBuffer()));
    if (found.json.trap !== undefined) throw new Error(found.json.trap);
    send(id, found, start);
  } catch (error) {
    postMessage({ id, trap: error.message });
  }
}

// One after the other, in order.
onmessage = (message) => (last = last.then(() => answer(message)));
postMessage({ ready: true });

// Airfoil in a worker: requests in, answers out, one after the other. After a trap the module is unusable; the page starts another worker.

import { parts, send } from "./answer.js";

let module;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const loaded = WebAssembly.instantiateStreaming(fetch("airfoil.wasm"), { page: { now: () => performance.now() } })
  .then(({ instance }) => {
    module = instance.exports;
    postMessage({ ready: true });
  })
  .catch((error) => postMessage({ fault: `the module cannot be loaded: ${error.message}` }));

function bytesAt(address, length) {
  return new Uint8Array(module.memory.buffer, address, length);
}

function call(request) {
  const bytes = encoder.encode(JSON.stringify(request));
  bytesAt(module.request(bytes.length), bytes.length).set(bytes);
  const length = module.call();
  return parts(bytesAt(module.answer(), length));
}

onmessage = async ({ data: { id, request } }) => {
  await loaded;
  const start = performance.now();
  try {
    send(id, call(request), start);
  } catch (error) {
    let message = error.message;
    try {
      const length = module.answer_length();
      if (error instanceof WebAssembly.RuntimeError && length > 0) message = decoder.decode(bytesAt(module.answer(), length));
    } catch {
      // The message of the trap has to do.
    }
    postMessage({ id, trap: message });
  }
};

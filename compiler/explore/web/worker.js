// Airfoil in a worker: requests in, answers out, one after the other. After a trap the module is unusable; the page starts another worker.

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
  const answer = bytesAt(module.answer(), length);
  const end = 4 + new DataView(answer.buffer, answer.byteOffset).getUint32(0, true);
  return { json: JSON.parse(decoder.decode(answer.subarray(4, end))), bytes: answer.slice(end) };
}

onmessage = async ({ data: { id, request } }) => {
  await loaded;
  const start = performance.now();
  try {
    const { json, bytes } = call(request);
    postMessage({ id, json, bytes, start: performance.timeOrigin + start, end: performance.timeOrigin + performance.now() }, [bytes.buffer]);
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

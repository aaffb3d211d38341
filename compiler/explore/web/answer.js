// Answers in bytes: the length of the JSON, the JSON, and the bytes of an image.

const decoder = new TextDecoder();

export function parts(answer) {
  const end = 4 + new DataView(answer.buffer, answer.byteOffset).getUint32(0, true);
  return { json: JSON.parse(decoder.decode(answer.subarray(4, end))), bytes: answer.slice(end) };
}

/** Gives the page the answer to a request that began at this time. */
export function send(id, { json, bytes }, start) {
  postMessage({ id, json, bytes, start: performance.timeOrigin + start, end: performance.timeOrigin + performance.now() }, [bytes.buffer]);
}

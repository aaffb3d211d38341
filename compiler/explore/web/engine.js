// The worker as a function: `ask(request)` gives the answer. A worker that traps or does not answer in time is replaced, and the
// last compile is repeated, so that the page goes on.

const LIMIT = 20000;

export class Engine {
  constructor(onFault) {
    this.onFault = onFault;
    this.start();
  }

  start() {
    this.waiting = new Map();
    this.next = 0;
    this.worker = new Worker("worker.js", { type: "module" });
    this.worker.onmessage = ({ data }) => this.answered(data);
    this.ready = new Promise((resolve) => (this.isReady = resolve));
  }

  answered(data) {
    if (data.ready) return this.isReady();
    // Another worker could not load the module either.
    if (data.fault !== undefined) return this.onFault(data.fault);
    if (data.trap !== undefined) return this.restart(data.trap);
    const entry = this.waiting.get(data.id);
    if (!entry) return;
    this.waiting.delete(data.id);
    clearTimeout(entry.timer);
    if (data.json.error !== undefined) entry.reject(new Error(data.json.error));
    else entry.resolve(data);
  }

  restart(why) {
    this.worker.terminate();
    const open = [...this.waiting.values()];
    this.start();
    for (const entry of open) {
      clearTimeout(entry.timer);
      entry.reject(new Error(why));
    }
    this.onFault(why);
    if (this.compiled) this.ask(this.compiled).catch(() => {});
  }

  ask(request) {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      // A request that was answered may be repeated in a new worker, one that is under way may be the culprit.
      if (request.op === "compile") this.compiled = undefined;
      const done = (data) => {
        if (request.op === "compile") this.compiled = request;
        resolve(data);
      };
      const timer = setTimeout(() => this.restart(`no answer within ${LIMIT / 1000} s`), LIMIT);
      this.waiting.set(id, { resolve: done, reject, timer });
      this.worker.postMessage({ id, request });
    });
  }
}

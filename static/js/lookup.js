// One search at a time: only the answer to the last query is reported, however late or out of order answers come.

const TIMEOUT = 15_000; // ms for an answer; longer than the server waits for the API

export class Lookup {
  // load(query, signal) returns a promise of the answer. Each query that is not given up ends in one call of
  // onAnswer(query, answer) or onFailure().
  constructor({ load, onAnswer, onFailure, timeout = TIMEOUT }) {
    Object.assign(this, { load, onAnswer, onFailure, timeout });
  }

  // True from ask() until the answer or the failure.
  get isPending() {
    return this.query !== undefined;
  }

  // Sends the query after `delay` ms unless it is under way already. Gives up the query before it.
  ask(query, delay = 0) {
    if (this.request && query === this.query) return;
    this.cancel();
    this.query = query;
    this.timer = setTimeout(() => this.send(query), delay);
  }

  cancel() {
    clearTimeout(this.timer);
    this.request?.abort();
    this.request = undefined;
    this.query = undefined;
  }

  async send(query) {
    const request = new AbortController();
    this.request = request;
    this.timer = setTimeout(() => this.finish(request, () => this.onFailure()), this.timeout);
    const report = await this.load(query, request.signal).then(
      (answer) => () => this.onAnswer(query, answer),
      () => () => this.onFailure(),
    );
    this.finish(request, report);
  }

  // Reports the outcome of a request unless it was given up, or reported as timed out.
  finish(request, report) {
    if (request !== this.request) return;
    this.cancel();
    report();
  }
}

// Which option a key may take from a list: the highlighted one if an arrow key has reached it, or if the list has been on
// the screen, unchanged, for as long as reading it takes. Of a younger list nobody can have read what is highlighted.
// picker.js, items.js and palette.js each keep one for their list. No script imports another, so it is found in `window`.

export const READING_TIME = 400; // ms

// Calls back with the time of the first frame after the next painting.
const afterPainting = (callback) => requestAnimationFrame(() => requestAnimationFrame(callback));

export class ShownOptions {
  constructor(whenPainted = afterPainting) {
    this.whenPainted = whenPainted;
    this.hide();
  }

  // To be called when the list is drawn. names: its options in order, as one text. A list that is drawn again with the same
  // options has been on the screen all the time.
  show(names) {
    this.isReached = false;
    if (names === this.names) return;
    this.hide();
    this.names = names;
    const drawing = (this.drawing = {});
    this.whenPainted((time) => {
      if (drawing === this.drawing) this.shownAt = time;
    });
  }

  hide() {
    Object.assign(this, { names: null, drawing: null, shownAt: Infinity, isReached: false });
  }

  // To be called when an arrow key has moved the highlight.
  reach() {
    this.isReached = true;
  }

  // Whether the user can have read the highlighted option before a key was pressed. time: event.timeStamp of the key.
  isRead(time) {
    return this.isReached || time - this.shownAt >= READING_TIME;
  }
}

globalThis.ShownOptions = ShownOptions;

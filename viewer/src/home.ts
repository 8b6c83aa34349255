/** Where the viewer lives: a window of its own, or a cell of a notebook; and how it asks there. */

export type Wire = (path: string, init?: RequestInit) => Promise<Response>;

interface Home {
  /** The element that holds everything; styles and keys reach no farther. */
  root: HTMLElement;
  /** A window of its own, whose address and title are ours. */
  alone: boolean;
  wire: Wire;
}

export const home: Home = { root: document.documentElement, alone: true, wire: (path, init) => fetch(path, init) };

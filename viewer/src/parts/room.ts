/** The room that a picture has in the window, below what stays at the top and above the line at the bottom. */
const FOOT = 44; // pixels of that line

/** Pixels left for a picture that stands so far below the top of its view, and at least so many. */
export function roomBelow(above: number, least: number): number {
  const view = document.querySelector("main");
  const top = view ? view.getBoundingClientRect().top + scrollY : 0;
  return Math.max(least, innerHeight - top - above - FOOT);
}

/** Light or dark: the system's choice until the reader makes one. Pictures take their colours from the stylesheet. */
import { computed, effect, signal } from "@preact/signals";
import { home } from "./home";
import type { Theme } from "./scene/colour";

const KEPT = "regard.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const fromSystem = signal<Theme>(system.matches ? "dark" : "light");
system.addEventListener("change", () => (fromSystem.value = system.matches ? "dark" : "light"));

function kept(): Theme | null {
  try {
    const found = localStorage.getItem(KEPT);
    return found === "light" || found === "dark" ? found : null;
  } catch {
    return null; // storage may be forbidden
  }
}

const chosen = signal<Theme | null>(kept());
export const theme = computed<Theme>(() => chosen.value ?? fromSystem.value);

export function turn(): void {
  chosen.value = theme.value === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEPT, chosen.value);
  } catch {
    // the choice lasts as long as the page
  }
}

export interface Palette {
  theme: Theme;
  paper: string;
  ink: string;
  faint: string;
  line: string;
  accent: string;
  soft: string;
  warn: string;
}

/** Give the root its theme, now and whenever it changes. */
export function dress(): void {
  effect(() => {
    home.root.dataset["theme"] = theme.value;
  });
}

/** The stylesheet's colours as plain values: a saved picture has no stylesheet. */
export const palette = computed<Palette>(() => {
  const now = theme.value;
  home.root.dataset["theme"] = now;
  const style = getComputedStyle(home.root);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    theme: now,
    paper: of("paper"),
    ink: of("ink"),
    faint: of("faint"),
    line: of("line"),
    accent: of("accent"),
    soft: of("soft"),
    warn: of("warn"),
  };
});

const motion = matchMedia("(prefers-reduced-motion: reduce)");
/** Milliseconds a movement takes: none when the system asks for less motion. */
export const moving = (wanted: number): number => (motion.matches ? 0 : wanted);

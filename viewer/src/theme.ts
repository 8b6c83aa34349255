/** Light or dark: the system's choice until the reader makes one. Pictures take their colours from the stylesheet. */
import { computed, effect, signal } from "@preact/signals";
import { home } from "./home";
import type { ColourTheme } from "./scene/colour";

const STORAGE_KEY = "regard.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const fromSystem = signal<ColourTheme>(system.matches ? "dark" : "light");
system.addEventListener("change", () => (fromSystem.value = system.matches ? "dark" : "light"));

function storedTheme(): ColourTheme | null {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return stored === "light" || stored === "dark" ? stored : null;
  } catch {
    return null; // storage may be forbidden
  }
}

const choice = signal<ColourTheme | null>(storedTheme());
export const theme = computed<ColourTheme>(() => choice.value ?? fromSystem.value);

export function switchTheme(): void {
  choice.value = theme.value === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(STORAGE_KEY, choice.value);
  } catch {
    // the choice lasts as long as the page
  }
}

export interface Palette {
  theme: ColourTheme;
  paper: string;
  ink: string;
  faint: string;
  line: string;
  accent: string;
  soft: string;
  ground: string;
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
    ground: of("ground"),
    warn: of("warn"),
  };
});

const motion = matchMedia("(prefers-reduced-motion: reduce)");
/** Milliseconds a movement takes: none when the system asks for less motion. */
export const duration = (milliseconds: number): number => (motion.matches ? 0 : milliseconds);

/** Colours of weights: straight lines in OKLab (Ottosson 2020), where equal steps look equally large. */

export type ColourTheme = "light" | "dark";
export type Colour = readonly [number, number, number];
type Point = readonly [number, number, number];

const WEIGHT: Record<ColourTheme, readonly [Point, Point]> = {
  light: [
    [1, 0, 0],
    [0.3, -0.015, -0.125],
  ], // paper to deep blue
  dark: [
    [0.2, -0.002, -0.012],
    [0.95, -0.02, 0.115],
  ], // near-black to pale yellow
};
const DIFFERENCE: Record<ColourTheme, readonly [Point, Point, Point]> = {
  light: [
    [0.42, -0.03, -0.16],
    [1, 0, 0],
    [0.6, 0.11, 0.12],
  ], // less: blue; more: orange
  dark: [
    [0.75, -0.05, -0.12],
    [0.2, -0.002, -0.012],
    [0.78, 0.08, 0.13],
  ],
};

function encode(light: number): number {
  const clamped = Math.min(1, Math.max(0, light));
  return Math.round(255 * (clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055));
}

function rgb([lightness, a, b]: Point): Colour {
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    encode(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    encode(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    encode(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ];
}

function between(from: Point, to: Point, share: number): Point {
  return [0, 1, 2].map((axis) => from[axis]! + share * (to[axis]! - from[axis]!)) as unknown as Point;
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value));

/** The colour of a strength from 0 to 1. */
export function strength(theme: ColourTheme, value: number): Colour {
  return rgb(between(...WEIGHT[theme], clamp(value)));
}

/** The colour of a difference from -1 to 1, paper at zero. */
export function difference(theme: ColourTheme, value: number): Colour {
  const [less, none, more] = DIFFERENCE[theme];
  return rgb(between(none, value < 0 ? less : more, clamp(Math.abs(value))));
}

export const css = ([red, green, blue]: Colour): string => `rgb(${red} ${green} ${blue})`;

function light(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Black or white, whichever stands out more from a colour: the larger contrast of WCAG 2, section 1.4.3. */
export function readable([red, green, blue]: Colour): string {
  return 0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue) > 0.2 ? "#14171c" : "#ffffff";
}

/** 256 colours as the bytes that a canvas takes. */
export function lookup(colour: (value: number) => Colour): Uint32Array {
  const table = new Uint32Array(256);
  for (let step = 0; step < 256; step++) {
    const [red, green, blue] = colour(step / 255);
    table[step] = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0; // every machine with a browser is little-endian
  }
  return table;
}

/** One stable colour for each head: Okabe and Ito's eight first, then equal turns of hue. */
const OKABE_ITO = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8b6bb1", "#7a7a00"];
export function headColour(head: number): string {
  return OKABE_ITO[head] ?? `hsl(${Math.round((head * 137.5) % 360)} 55% 60%)`;
}

/** What can be read on it. */
export function headInk(head: number): string {
  const code = Number.parseInt((OKABE_ITO[head] ?? "#ffffff").slice(1), 16);
  return readable([code >> 16, (code >> 8) & 255, code & 255]);
}

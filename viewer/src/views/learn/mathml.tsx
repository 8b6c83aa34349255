/** Equations as MathML, with the numbers of now in them. */
import type { ComponentChildren } from "preact";
import { short } from "../../scene/signs";

export const Equation = ({ children }: { children: ComponentChildren }) => <math display="block">{children}</math>;

export const name = (text: string) => <mi>{text}</mi>;
/** Text; MathML would drop the spaces at its ends. */
export const words = (text: string) => <mtext>{text.replace(/^ | $/g, "\u00a0")}</mtext>;
export const sign = (text: string) => <mo>{text}</mo>;
export const value = (number: number, digits = 2) => <mn class="live">{short(number, digits)}</mn>;
export const group = (...parts: ComponentChildren[]) => <mrow>{parts}</mrow>;
export const below = (base: ComponentChildren, index: ComponentChildren) => (
  <msub>
    {base}
    {index}
  </msub>
);
export const above = (base: ComponentChildren, power: ComponentChildren) => (
  <msup>
    {base}
    {power}
  </msup>
);
export const over = (top: ComponentChildren, bottom: ComponentChildren) => (
  <mfrac>
    <mrow>{top}</mrow>
    <mrow>{bottom}</mrow>
  </mfrac>
);
export const root = (inside: ComponentChildren) => <msqrt>{inside}</msqrt>;
export const product = (one: ComponentChildren, other: ComponentChildren) => group(one, sign("·"), other);

/** Parts with a sign between them. */
export const chain = (between: string, parts: ComponentChildren[]) =>
  group(...parts.flatMap((part, index) => (index ? [sign(between), part] : [part])));

/** e to a power. */
export const exp = (power: ComponentChildren) => above(name("e"), <mrow>{power}</mrow>);

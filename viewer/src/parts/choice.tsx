import type { ComponentChildren } from "preact";

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (readonly [Value, ComponentChildren])[];
  choose: (value: Value) => void;
}

/** A few things of which one is chosen. */
export function Choice<Value extends string>({ label, value, options, choose }: ChoiceProps<Value>) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([name, shown]) => (
        <button key={name} type="button" aria-pressed={name === value} data-choice={name} onClick={() => choose(name)}>
          {shown}
        </button>
      ))}
    </div>
  );
}

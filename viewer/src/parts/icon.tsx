/** The few signs of the page, drawn rather than written: no font has to have them. */
const SHAPES = {
  theme: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 2v12a6 6 0 0 0 0-12Z",
  save: "M8 2v8M4.5 6.8 8 10.3l3.5-3.5M2.5 13.5h11",
  link: "M6.5 9.5a2.8 2.8 0 0 0 4 0l2.2-2.2a2.8 2.8 0 0 0-4-4L7.9 4M9.5 6.5a2.8 2.8 0 0 0-4 0L3.300 8.700a2.8 2.8 0 0 0 4 4L8.100 12",
  keys: "M6 6.2a2 2 0 1 1 3 1.700c-.7.4-1 .8-1 1.600M8 12v.1",
  close: "M4 4l8 8M12 4l-8 8",
};

export function Icon({ name }: { name: keyof typeof SHAPES }) {
  return (
    <svg class={`sign ${name}`} width="18" height="18" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={SHAPES[name]}
        fill={name === "theme" ? "currentColor" : "none"}
        fill-rule="evenodd"
        stroke="currentColor"
        stroke-width="1.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

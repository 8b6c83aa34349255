import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** A picture in its card; where it is wider than that it scrolls, by keys too. */
export function Frame({ label, children }: { label: string; children: ComponentChildren }) {
  const frame = useRef<HTMLDivElement>(null);
  const [scrolls, set] = useState(false);
  useEffect(() => {
    const box = frame.current;
    if (!box) return;
    const look = () => set(box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1);
    const watch = new ResizeObserver(look);
    watch.observe(box);
    if (box.firstElementChild) watch.observe(box.firstElementChild);
    for (const drawn of box.querySelectorAll("svg, math, canvas")) watch.observe(drawn);
    look();
    const later = setTimeout(look, 300); // fonts may still come
    return () => {
      clearTimeout(later);
      watch.disconnect();
    };
  });
  const reach = scrolls ? { tabIndex: 0, role: "group" as const, "aria-label": `${label}, scrolls` } : {};
  return (
    <div class="frame" ref={frame} {...reach}>
      {children}
    </div>
  );
}

import { useEffect, useState } from "preact/hooks";

/** The width that an element has got, as it changes; the element may come later than the view. */
export function useWidth(otherwise = 900) {
  const [box, hold] = useState<HTMLElement | null>(null);
  const [width, set] = useState(otherwise);
  useEffect(() => {
    if (!box) return;
    const watch = new ResizeObserver(([entry]) => entry && set(Math.floor(entry.contentRect.width)));
    watch.observe(box);
    return () => watch.disconnect();
  }, [box]);
  return [hold, width] as const;
}

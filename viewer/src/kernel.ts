/** Requests through the kernel of a notebook instead of a port; "In a notebook" in API.md tells the messages. */
import type { Wire } from "./home";
import { API_VERSION } from "./payload";

/** The part of anywidget's model that is used. */
export interface WidgetModel {
  get(name: string): unknown;
  send(message: unknown): void;
  on(event: "msg:custom", listener: (message: MessageHead, buffers: DataView[]) => void): void;
}

interface MessageHead {
  id: number;
  status: number;
  type: string;
  more: boolean;
}

export function kernelWire(kernel: WidgetModel): Wire {
  let last = 0;
  const waiting = new Map<number, (head: MessageHead, part: DataView | undefined) => void>();
  kernel.on("msg:custom", (head, buffers) => waiting.get(head.id)?.(head, buffers[0]));
  return (path, init = {}) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      let body: ReadableStreamDefaultController<Uint8Array> | null = null;
      const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (body = controller) });
      let begun = false;
      waiting.set(id, (head, part) => {
        if (!begun) resolve(new Response(stream, { status: head.status, headers: { "Content-Type": head.type } }));
        begun = true;
        if (part?.byteLength) body?.enqueue(new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice());
        if (head.more) return;
        body?.close();
        waiting.delete(id);
      });
      init.signal?.addEventListener("abort", () => {
        if (!waiting.delete(id)) return;
        if (begun) body?.error(init.signal?.reason);
        else reject(init.signal?.reason);
      });
      kernel.send({
        id,
        method: init.method ?? "GET",
        path: `/${path}`,
        body: init.body ?? null,
        version: API_VERSION,
      });
    });
}

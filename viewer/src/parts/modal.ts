/** A dialog that is open while its page says so. */
import { useLayoutEffect, useRef } from "preact/hooks";

/** What its element needs. A browser tells of a closed dialog later: it may be open again by then, and stays so. */
export function useModal(open: boolean, close: () => void, onOpen?: () => void) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (!open) return dialog.current?.close();
    onOpen?.();
    dialog.current?.showModal();
  }, [open]);
  return { ref: dialog, onClose: () => void (dialog.current?.open || close()) };
}

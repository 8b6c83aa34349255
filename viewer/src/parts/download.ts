/** What leaves the page: files, the clipboard, and the line that says so. */
import { toast } from "../store";

export function say(line: string): void {
  toast.value = line;
  setTimeout(() => toast.value === line && (toast.value = null), 2200);
}

export function save(content: BlobPart, name: string, kind: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: kind }));
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    say("The browser did not allow the clipboard");
  }
}

/** A title as the name of a file. */
export const fileName = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60) || "picture";

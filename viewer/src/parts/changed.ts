/** Two answers, word by word: which words are others now. */
import type { TextChange } from "../payload";
import type { Token } from "../sides";

/** Words that stayed, went or came, by the longest common sequence. */
export function textChanges(before: string, after: string): TextChange[] {
  const [old, now] = [before.split(/\s+/).filter(Boolean), after.split(/\s+/).filter(Boolean)];
  const longest = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      longest[i]![j] =
        old[i] === now[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
  const changes: TextChange[] = [];
  const add = (isSame: boolean, gone: string[], came: string[]) => {
    const last = changes.at(-1);
    if (last && (last.kind === "same") === isSame) {
      last.before.push(...gone);
      last.after.push(...came);
    } else changes.push({ kind: isSame ? "same" : "replaced", before: gone, after: came });
  };
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) add(true, [old[i++]!], [now[j++]!]);
    else if (j >= now.length || (i < old.length && longest[i + 1]![j]! >= longest[i]![j + 1]!))
      add(false, [old[i++]!], []);
    else add(false, [], [now[j++]!]);
  }
  return changes;
}

/** The tokens of a line that belong to words that came, by where they stand in its text. */
export function changedTokens(tokens: Token[], changes: TextChange[]): Set<number> {
  const marked = new Set<number>();
  const words = changes.flatMap((change) => change.after.map((word) => ({ word, isNew: change.kind !== "same" })));
  let text = "";
  const starts = tokens.map((token) => {
    const at = text.length;
    if (token.written && !token.special) text += token.text;
    return at;
  });
  let from = 0;
  for (const { word, isNew } of words) {
    const at = text.indexOf(word, from);
    if (at < 0) break;
    from = at + word.length;
    if (!isNew) continue;
    tokens.forEach((token, index) => {
      const end = starts[index]! + token.text.length;
      if (token.written && !token.special && starts[index]! < from && end > at && token.text.trim()) marked.add(index);
    });
  }
  return marked;
}

/** The table behind a picture: read by screen readers always, shown to everybody on request. */
import { useState } from "preact/hooks";
import { long } from "../scene/signs";
import type { DataTable } from "../scene/table";

const MOST = 200;

export function Numbers({ table }: { table: DataTable }) {
  const [open, show] = useState(false);
  const rows = table.rows.slice(0, MOST);
  const left = table.rows.length - rows.length;
  return (
    <div class="numbers">
      <button type="button" class="quiet" aria-expanded={open} onClick={() => show(!open)}>
        {open ? "Hide the table" : "As a table"}
      </button>
      <div class={open ? "scroll" : "unseen"}>
        <table>
          <caption>
            {table.caption}
            {left > 0 && ` (the first ${MOST} of ${table.rows.length} rows)`}
          </caption>
          <thead>
            <tr>
              {table.columns.map((column, index) => (
                <th key={index} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, at) =>
                  typeof cell === "number" ? (
                    <td key={at} class="number">
                      {long(cell)}
                    </td>
                  ) : (
                    <td key={at}>{cell}</td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

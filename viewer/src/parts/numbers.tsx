/** The table behind a picture: made when somebody asks for it, by eye or by ear, and never longer than it can be read. */
import { useMemo, useState } from "preact/hooks";
import { long } from "../scene/signs";
import type { DataTable } from "../scene/table";

const MOST = 200;

export function Numbers({ make, of }: { make: () => DataTable; of: unknown[] }) {
  const [open, show] = useState(false);
  const table = useMemo(() => (open ? make() : null), [open, ...of]);
  return (
    <div class="numbers">
      <button type="button" class="quiet" aria-expanded={open} data-table onClick={() => show(!open)}>
        {open ? "Hide the table" : "As a table"}
      </button>
      {table && <Table table={table} />}
    </div>
  );
}

function Table({ table }: { table: DataTable }) {
  const rows = table.rows.slice(0, MOST);
  const left = table.rows.length - rows.length;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={table.caption}>
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
  );
}

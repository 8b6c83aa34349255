/** The numbers behind a picture: for screen readers, for CSV and JSON, and in the saved page. */

export type Cell = string | number;

export interface DataTable {
  caption: string;
  columns: string[];
  rows: Cell[][];
}

function cell(value: Cell): string {
  if (typeof value === "number") return String(value);
  const guarded = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value; // a spreadsheet would take it for a formula
  return /[",\n\r]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

export function csv(table: DataTable): string {
  return [table.columns, ...table.rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

export function json(table: DataTable): string {
  return JSON.stringify(table, null, 1) + "\n";
}

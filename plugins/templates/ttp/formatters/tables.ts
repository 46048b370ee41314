/** The formats that write tables. */
export { csvText, makeTable, tableValue } from "./table.ts";
export { tabulateText } from "./tabulate.ts";

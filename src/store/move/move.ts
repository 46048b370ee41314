/**
 * Moves a store to another database: whole or not at all. The source is marked first, so that no service changes it; the
 * target is marked until it is complete, so that no service works on a part. Each transaction says how far it has come,
 * so that a move that was interrupted goes on there.
 */
import { createHash, randomUUID } from "node:crypto";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { type Cipher, createCipher } from "../cipher.ts";
import { keyCheck } from "../tables.ts";
import { type Mark, markOf } from "./marks.ts";
import { type Cell, type MovedTable, movedTables, type Page, type Place } from "./place.ts";

export type { Place } from "./place.ts";

export interface MovedSum {
  readonly table: string;
  readonly rows: number;
  /** Of all cells, in the order of the rows. */
  readonly sha256: string;
}

export interface MoveResult {
  /** Of the tables that have rows; the same on both sides. */
  readonly sums: readonly MovedSum[];
  /** Texts with the character NUL, which PostgreSQL cannot store: it became U+FFFD. */
  readonly replaced: number;
}

/** @param rows of the table so far, in this run. @param isEnd all of them */
export type Progress = (table: string, on: "copied" | "compared", rows: number, isEnd: boolean) => void;

/** @param keys the master key of both, and former ones that still decrypt */
export async function moveStore(
  from: Place,
  to: Place,
  { current, former }: { readonly current: Uint8Array; readonly former: readonly Uint8Array[] },
  progress: Progress,
): Promise<MoveResult> {
  const was = await sourceState(from, createCipher(current, former));
  const id = was?.id ?? randomUUID();
  const there = await targetState(to, was);
  if (was?.state === "left") {
    // It was compared before the source was marked so.
    await to.complete({ state: "in", id }, await from.given());
    return { sums: [], replaced: 0 };
  }
  const leaving: Mark = { state: "leaving", id };
  if (was === undefined && !(await from.mark(undefined, leaving))) throw await atWork(from);
  const filling: Mark = { state: "in", id };
  if (there === undefined) await to.make(filling);
  else if (there.id !== id) await to.empty(there, filling);
  await copy(from, to, textsFor(from, to).changed, progress);
  const text = textsFor(from, to);
  const sums = await compare(from, to, text.changed, progress);
  if (!(await from.mark(leaving, { state: "left", id, to: to.shown }))) throw await atWork(from);
  await to.complete(filling, await from.given());
  return { sums: sums.filter(({ rows }) => rows > 0), replaced: text.count() };
}

/** The source can be worked on again; what has been copied is left where it is. */
export async function abandonMove(from: Place): Promise<void> {
  const mark = markIn((await from.names()) ?? []);
  if (mark?.state === "leaving") await from.mark(mark, undefined);
  else if (mark?.state === "left")
    throw new ServiceError("Conflict", `${from.shown} was moved to ${mark.to}: move that one back.`);
  else throw new ServiceError("Conflict", `${from.shown} is not being moved.`);
}

const markIn = (names: readonly string[]) => names.map(markOf).find((mark) => mark !== undefined);

/** @returns its mark, of a move that was interrupted */
async function sourceState(from: Place, cipher: Cipher): Promise<Mark | undefined> {
  const names = await from.names();
  if (names === undefined) throw new ServiceError("NotFound", `There is no store in ${from.shown}.`);
  const mark = markIn(names);
  if (mark?.state === "in")
    throw new ServiceError("Conflict", `${from.shown} is itself the target of a move that is not complete.`);
  requireVersion(from, names);
  requireKey(from, await from.keyWord(), cipher);
  if ((await from.nodes()).length > 0) throw await atWork(from);
  return mark;
}

/** @returns its mark, of a move that was interrupted; undefined if it is empty */
async function targetState(to: Place, of: Mark | undefined): Promise<Mark | undefined> {
  const names = await to.names();
  const mark = markIn(names ?? []);
  if (of?.state === "left" && (mark?.state !== "in" || mark.id !== of.id))
    throw new ServiceError("Conflict", `The store was moved already, to ${of.to}.`);
  if (names === undefined) return undefined;
  if (mark?.state !== "in")
    throw new ServiceError("Conflict", `${to.shown} is not empty: give an empty database.`);
  requireVersion(to, names);
  return mark;
}

/** Each kind of database has migrations of its own. */
function requireVersion(place: Place, names: readonly string[]): void {
  const own = names.filter((name) => markOf(name) === undefined);
  const missing = place.steps.filter((name) => !own.includes(name));
  const unknown = own.filter((name) => !place.steps.includes(name));
  if (unknown.length > 0)
    throw new ServiceError(
      "Conflict",
      `${place.shown} was made by a newer version of Patchbay: move it with that one.`,
    );
  if (missing.length > 0)
    throw new ServiceError(
      "Conflict",
      `${place.shown} is of an earlier version of Patchbay: start this version on it once, which upgrades it.`,
    );
}

/** What is sealed is copied as it is: it must be of the key that the target will be opened with. */
function requireKey(place: Place, word: string | undefined, cipher: Cipher): void {
  try {
    cipher.open(Buffer.from(word ?? "", "base64"), keyCheck);
  } catch (error) {
    throw new ServiceError(
      "Conflict",
      `${place.shown} was encrypted with another master key than that of this data directory. Provide the right one (PATCHBAY_MASTER_KEY, or the file master.key).`,
      undefined,
      { cause: error },
    );
  }
}

async function atWork(place: Place): Promise<ServiceError> {
  const nodes = await place.nodes();
  const leftS = Math.ceil(Math.max(0, ...nodes.map(({ leftMs }) => leftMs)) / 1000);
  const names = nodes.map(({ name }) => name).join(", ");
  return new ServiceError(
    "Conflict",
    `${place.shown} is in use (${names}): stop all nodes first. The lease of one that was killed ends in ${leftS} s.`,
  );
}

const tries = 8;

async function copy(from: Place, to: Place, changed: Changed, progress: Progress): Promise<void> {
  for (const table of movedTables) {
    for (let failures = 0, rows = 0; ; ) {
      try {
        const positions = await to.positions();
        await copyTable(from, to, table, positions.get(table.name) ?? -1, changed, (more) => {
          failures = 0;
          rows += more;
          progress(table.name, "copied", rows, false);
        });
        progress(table.name, "copied", rows, true);
        break;
      } catch (error) {
        // The position says what was stored, also where an answer was lost.
        if (error instanceof ServiceError || ++failures === tries) throw interrupted(table, error);
      }
    }
  }
}

async function copyTable(
  from: Place,
  to: Place,
  table: MovedTable,
  after: number,
  changed: Changed,
  onRows: (rows: number) => void,
): Promise<void> {
  let page = await from.page(table, after);
  while (page.last !== undefined) {
    const sound = { rows: page.rows.map((row) => changed(table, row)), last: page.last };
    const [next] = await Promise.all([from.page(table, page.last), to.add(table, sound)]);
    onRows(page.rows.length);
    page = next;
  }
}

function interrupted(table: MovedTable, error: unknown): Error {
  if (error instanceof ServiceError) return error;
  const text = `The table ${table.name} could not be copied: ${messageOf(error)}. Run the same command again to go on from there.`;
  return new ServiceError("Unavailable", text, undefined, { cause: error });
}

async function compare(from: Place, to: Place, changed: Changed, progress: Progress): Promise<MovedSum[]> {
  const sums: MovedSum[] = [];
  for (const table of movedTables) {
    const [source, target] = await Promise.all([
      sumOf(from, table, changed, () => {}),
      sumOf(
        to,
        table,
        (_, row) => row,
        (rows) => progress(table.name, "compared", rows, false),
      ),
    ]);
    if (source.rows !== target.rows || source.sha256 !== target.sha256)
      throw new ServiceError(
        "Internal",
        `The table ${table.name} differs in the target (rows: ${source.rows} and ${target.rows}). The source is unchanged: empty the target, and run the same command again, or with --abandon.`,
      );
    sums.push(source);
  }
  return sums;
}

async function sumOf(
  place: Place,
  table: MovedTable,
  changed: Changed,
  onRows: (rows: number) => void,
): Promise<MovedSum> {
  const hash = createHash("sha256");
  let rows = 0;
  for (let page: Page = await place.page(table, -1); page.last !== undefined; ) {
    const next = place.page(table, page.last);
    for (const row of page.rows) feed(hash, changed(table, row));
    rows += page.rows.length;
    onRows(rows);
    page = await next;
  }
  return { table: table.name, rows, sha256: hash.digest("hex") };
}

/** Each cell with its type and length: no two rows have the same text. */
function feed(hash: ReturnType<typeof createHash>, row: readonly Cell[]): void {
  let text = "";
  for (const cell of row) {
    if (cell === null) text += "-";
    else if (typeof cell === "number") text += `n${cell};`;
    else if (typeof cell === "string") text += `t${cell.length};${cell}`;
    else {
      hash.update(`${text}b${cell.length};`).update(cell);
      text = "";
    }
  }
  hash.update(`${text}\n`);
}

/** @returns the row as the other database can store it. @throws ServiceError Internal if it is damaged */
type Changed = (table: MovedTable, row: readonly Cell[]) => readonly Cell[];

function textsFor(from: Place, to: Place): { readonly changed: Changed; count(): number } {
  const withoutNul = from.kind !== "postgres" && to.kind === "postgres";
  let count = 0;
  const changed: Changed = (table, row) =>
    row.map((cell, at) => {
      const column = table.columns[at];
      if (column === undefined || !fits(cell, column.type)) throw damaged(table, column?.name ?? "", row);
      if (!withoutNul || typeof cell !== "string" || !cell.includes("\0")) return cell;
      count++;
      return cell.replaceAll("\0", "\ufffd");
    });
  return { changed, count: () => count };
}

function fits(cell: Cell, type: MovedTable["columns"][number]["type"]): boolean {
  if (cell === null) return true;
  if (type === "text") return typeof cell === "string";
  if (type === "bytea") return cell instanceof Uint8Array;
  if (typeof cell !== "number") return false;
  return (
    type === "double precision" ||
    (type === "boolean" ? cell === 0 || cell === 1 : Number.isSafeInteger(cell))
  );
}

function damaged(table: MovedTable, column: string, row: readonly Cell[]): ServiceError {
  const [first] = row;
  const name =
    typeof first === "string" || typeof first === "number" ? ` (${table.columns[0]?.name} ${first})` : "";
  const text = `A stored row of the table ${table.name} is damaged${name}: ${column} has a value of another type. \`patchbay doctor\` lists damaged rows.`;
  return new ServiceError("Internal", text);
}

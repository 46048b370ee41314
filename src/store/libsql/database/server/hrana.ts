/**
 * Hrana 3 over HTTP, the protocol of libSQL servers, as far as it is used here: with streams kept open. For each stream
 * a server opens a connection and reads the schema, 0.8 ms of its CPU (a statement takes 0.3 ms), and the package's
 * client opens a stream for every request. Why not `@libsql/hrana-client`: docs/background/decisions/0015-server-client.md
 */
import * as v from "valibot";
import type { Cell, Rows } from "../../../sql/rows.ts";
import type { Scalar, Statement } from "../../../sql/statement.ts";
import { crowdedCode, crowdedText } from "../faults.ts";
import { bind } from "../statement.ts";

export type HranaRequest =
  | { readonly type: "execute"; readonly stmt: object }
  | { readonly type: "batch"; readonly batch: { readonly steps: readonly object[] } }
  | { readonly type: "sequence"; readonly sql: string }
  | { readonly type: "close" };

/** An error response of the server with its code: SQLite's if a statement was at fault. */
export class HranaError extends Error {
  readonly code: string | undefined;
  constructor(message: string, code?: string | null) {
    super(message);
    this.code = code ?? undefined;
  }
}

/** A connection on the server; the baton identifies its state. */
export interface Stream {
  readonly baton: string;
  /** Base URL for further requests, if the server gives one. */
  readonly base: string | undefined;
}

export interface Answer {
  /** The rows of each request's statements; of a transaction, those between `begin` and `commit`. */
  readonly results: readonly Rows[][];
  /** Error of the first statement that failed; `results` is empty then. */
  readonly failure: HranaError | undefined;
  /** Undefined if the server closed it. */
  readonly stream: Stream | undefined;
  /** How long a transaction waited for the lock; undefined if the server does not report it. */
  readonly waitedMs: number | undefined;
}

const errorShape = v.object({ message: v.string(), code: v.nullish(v.string()) });
// Cells are not validated by valibot but parsed by hand, since there are many.
const resultShape = v.object({
  cols: v.array(v.object({ name: v.nullish(v.string()) })),
  rows: v.array(v.array(v.unknown())),
  affected_row_count: v.number(),
  query_duration_ms: v.nullish(v.number()),
});
const batchShape = v.object({
  step_results: v.array(v.nullable(resultShape)),
  step_errors: v.array(v.nullable(errorShape)),
});
const responseShape = v.variant("type", [
  v.object({ type: v.literal("execute"), result: resultShape }),
  v.object({ type: v.literal("batch"), result: batchShape }),
  v.object({ type: v.picklist(["sequence", "close"]) }),
]);
const answerShape = v.object({
  baton: v.nullish(v.string()),
  base_url: v.nullish(v.string()),
  results: v.array(
    v.variant("type", [
      v.object({ type: v.literal("ok"), response: responseShape }),
      v.object({ type: v.literal("error"), error: errorShape }),
    ]),
  ),
});
export function execute(statement: Statement): HranaRequest {
  return { type: "execute", stmt: statementOf(statement) };
}

const inTransaction = { type: "not", cond: { type: "is_autocommit" } };
const after = (step: number) => ({ type: "and", conds: [{ type: "ok", step }, inTransaction] });

/** A transaction: each step runs only if the previous one succeeded. */
export function transaction(statements: readonly Statement[]): HranaRequest {
  const commit = statements.length + 1;
  return {
    type: "batch",
    batch: {
      steps: [
        { stmt: { sql: "begin immediate" } },
        ...statements.map((statement, at) => ({ stmt: statementOf(statement), condition: after(at) })),
        { stmt: { sql: "commit" }, condition: after(commit - 1) },
        { stmt: { sql: "rollback" }, condition: { type: "not", cond: { type: "ok", step: commit } } },
      ],
    },
  };
}

function statementOf(statement: Statement): object {
  const { sql, values } = bind(statement);
  return { sql, args: values.map(argOf) };
}

/** Numbers are sent as reals, as on a file; columns of type integer convert them. */
function argOf(value: Scalar): object {
  if (value === null) return { type: "null" };
  if (typeof value === "string") return { type: "text", value };
  if (typeof value === "boolean") return { type: "integer", value: value ? "1" : "0" };
  if (typeof value !== "number") return { type: "blob", base64: Buffer.from(value).toString("base64") };
  if (!Number.isFinite(value)) throw new RangeError("only finite numbers can be stored");
  return { type: "float", value };
}

/**
 * @param parsed the response body, parsed from JSON
 * @throws HranaError if it is not a valid response
 */
export function readAnswer(parsed: unknown, requests: number): Answer {
  const checked = v.safeParse(answerShape, parsed);
  if (!checked.success || checked.output.results.length !== requests)
    throw new HranaError("The server's response does not match the request.");
  const { baton, base_url: base, results } = checked.output;
  const stream = baton ? { baton, base: base ?? undefined } : undefined;
  const waitedMs = waitedOf(results[0]);
  try {
    return { results: results.map(rowsOfResult), failure: undefined, stream, waitedMs };
  } catch (error) {
    if (error instanceof HranaError) return { results: [], failure: error, stream, waitedMs };
    throw error;
  }
}

type Result = v.InferOutput<typeof answerShape>["results"][number];

function rowsOfResult(result: Result): Rows[] {
  if (result.type === "error") throw failure(result.error);
  const { response } = result;
  if (response.type === "execute") return [rowsOf(response.result)];
  return response.type === "batch" ? rowsOfBatch(response.result) : [];
}

/** The first step of a transaction is `begin`. */
function waitedOf(result: Result | undefined): number | undefined {
  if (result?.type !== "ok" || result.response.type !== "batch") return undefined;
  return result.response.result.step_results[0]?.query_duration_ms ?? undefined;
}

/** A server that rejects a whole request gives the reason as text or as an object. */
export function refusalOf(status: number, body: string): HranaError {
  // The server has reached its connection limit: nothing was applied, and retrying helps.
  if (status === 429) return new HranaError(crowdedText, crowdedCode);
  const checked = v.safeParse(v.pipe(v.string(), v.parseJson(), errorShape), body);
  return checked.success ? failure(checked.output) : new HranaError(`The server answered with ${status}.`);
}

function failure({ message, code }: v.InferOutput<typeof errorShape>): HranaError {
  return new HranaError(message, code);
}

function rowsOfBatch({ step_results, step_errors }: v.InferOutput<typeof batchShape>): Rows[] {
  const results = step_results.slice(0, -1);
  return results
    .map((result, step) => {
      const error = step_errors[step];
      if (error) throw failure(error);
      if (!result) throw new HranaError("The transaction was rolled back.", "TRANSACTION_CLOSED");
      return rowsOf(result);
    })
    .slice(1, -1);
}

function rowsOf({ cols, rows, affected_row_count }: v.InferOutput<typeof resultShape>): Rows {
  return {
    columns: cols.map(({ name }) => name ?? ""),
    rows: rows.map((row) => row.map(cellOf)),
    changes: affected_row_count,
  };
}

function cellOf(cell: unknown): Cell {
  if (typeof cell === "object" && cell !== null && "type" in cell) {
    if (cell.type === "null") return null;
    if ("base64" in cell && typeof cell.base64 === "string")
      return new Uint8Array(Buffer.from(cell.base64, "base64"));
    if ("value" in cell) {
      if (cell.type === "integer") return integerOf(Number(cell.value));
      if (typeof cell.value === "string" || typeof cell.value === "number") return cell.value;
    }
  }
  throw new HranaError("The server's response has a value of an unknown type.");
}

function integerOf(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError("an integer of the database is too large");
  return value;
}

/**
 * Validation issues of a request or a document, each with its place. Values are never repeated, as they may be secrets.
 */
import { ServiceError } from "./errors.ts";

export interface Issue {
  /** `connection_args.port`, or a position in a text: `line 17`. */
  readonly path: string;
  readonly message: string;
}

/** Only the first issues are listed. */
const maxIssues = 100;

/** @param more the number of issues not listed */
function invalidAt(issues: readonly Issue[], more: number): ServiceError {
  const rest = more > 0 ? [{ path: "", message: `and ${more} more` }] : [];
  return new ServiceError("Validation", "Validation Error", { issues: [...issues, ...rest] });
}

/** The error for a single issue. */
export const invalid = (path: string, message: string): ServiceError => invalidAt([{ path, message }], 0);

/** @throws ServiceError Validation */
export function refuse(issues: readonly Issue[]): never {
  throw invalidAt(issues.slice(0, maxIssues), issues.length - maxIssues);
}

/** @throws ServiceError Validation if there are any */
export function refuseAny(issues: readonly Issue[]): void {
  if (issues.length > 0) refuse(issues);
}

/** The error with its issues below a path; any other error is returned as it is. */
export function placedIn(error: unknown, path: string): unknown {
  const issues = error instanceof ServiceError ? error.detail?.issues : undefined;
  if (!Array.isArray(issues)) return error;
  const placed = issues.map((issue: Issue) => ({ ...issue, path: `${path}.${issue.path}` }));
  return new ServiceError("Validation", "Validation Error", { issues: placed }, { cause: error });
}

/** The issues that an error lists: `line 2: a quote is not closed`. */
export function issueTexts(error: unknown): string[] {
  const issues = error instanceof ServiceError ? error.detail?.issues : undefined;
  if (!Array.isArray(issues)) return [];
  return issues.map(({ path, message }: Issue) => (path === "" ? message : `${path}: ${message}`));
}

/** Issues that a sentence names. */
const inSentence = 5;

/** Why work without a request failed, in one sentence. */
export function errorSentence(error: unknown): string {
  if (!(error instanceof ServiceError)) return "it failed inside the service; see the log";
  const texts = issueTexts(error);
  return texts.length === 0 ? error.message : texts.slice(0, inSentence).join("; ");
}

/** Collects issues: lists the first hundred, counts the rest. */
export class Issues {
  readonly #first: Issue[] = [];
  #more = 0;

  get count(): number {
    return this.#first.length + this.#more;
  }

  add(path: string, message: string): void {
    if (this.#first.length < maxIssues) this.#first.push({ path, message });
    else this.#more++;
  }

  /** @throws ServiceError Validation if there are any */
  check(): void {
    if (this.count > 0) throw invalidAt(this.#first, this.#more);
  }
}

/** Issues of a kind that are listed one by one; of more, only the first place and the number. */
const maxAlike = 3;

/** Collects issues of a text by line. Many rows with the same fault are one issue. */
export class RowIssues extends Issues {
  readonly #kinds = new Map<string, { readonly first: Issue[]; count: number }>();
  #count = 0;

  override get count(): number {
    return this.#count;
  }

  override add(path: string, message: string): void {
    this.#count++;
    const field = path.replace(/^.*?\bline \d+(?:, column \d+)?(?: \([^)]*\))?/, "");
    const kind = `${field} ${message}`;
    const alike = this.#kinds.get(kind);
    if (alike === undefined) this.#kinds.set(kind, { first: [{ path, message }], count: 1 });
    else if (++alike.count <= maxAlike) alike.first.push({ path, message });
  }

  override check(): void {
    const listed = [...this.#kinds.values()].flatMap(({ first, count }) => {
      const [issue] = first;
      if (count <= maxAlike || issue === undefined) return first;
      return [{ path: issue.path, message: `${issue.message} (${count} rows; this is the first)` }];
    });
    refuseAny(listed);
  }
}

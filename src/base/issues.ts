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

/** The issues that an error lists: `line 2: a quote is not closed`. */
export function issueTexts(error: unknown): string[] {
  const issues = error instanceof ServiceError ? error.detail?.issues : undefined;
  if (!Array.isArray(issues)) return [];
  return issues.map(({ path, message }: Issue) => (path === "" ? message : `${path}: ${message}`));
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

/** What is wrong with a request or a document, place by place; a value of it is never repeated, it may be a secret. */
import { ServiceError } from "./errors.ts";

export interface Issue {
  /** `connection_args.port`, or where it stands in a text: `line 17`. */
  readonly path: string;
  readonly message: string;
}

/** A hundred thousand wrong lines are told by the first of them. */
const mostIssues = 100;

/** @param more how many are not told */
function invalidAt(issues: readonly Issue[], more: number): ServiceError {
  const rest = more > 0 ? [{ path: "", message: `and ${more} more` }] : [];
  return new ServiceError("Validation", "Validation Error", { issues: [...issues, ...rest] });
}

/** The error of one place. */
export const invalid = (path: string, message: string): ServiceError => invalidAt([{ path, message }], 0);

/** @throws ServiceError Validation */
export function refuse(issues: readonly Issue[]): never {
  throw invalidAt(issues.slice(0, mostIssues), issues.length - mostIssues);
}

/** Collects what is wrong: the first hundred of it, and how many more. */
export class Issues {
  readonly #first: Issue[] = [];
  #more = 0;

  get count(): number {
    return this.#first.length + this.#more;
  }

  add(path: string, message: string): void {
    if (this.#first.length < mostIssues) this.#first.push({ path, message });
    else this.#more++;
  }

  /** @throws ServiceError Validation where there are some */
  check(): void {
    if (this.count > 0) throw invalidAt(this.#first, this.#more);
  }
}

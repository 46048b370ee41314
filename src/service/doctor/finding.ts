/** Results of the checks, one line each. */
export interface Finding {
  /** What was checked, such as `database`. */
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  /** What to do about it. */
  readonly advice?: string;
}

export type Check = () => Promise<readonly Finding[]> | readonly Finding[];

export const ok = (check: string, text: string): Finding => ({ check, state: "ok", text });
export const warn = (check: string, text: string, advice: string): Finding => ({
  check,
  state: "warn",
  text,
  advice,
});
export const fail = (check: string, text: string, advice: string): Finding => ({
  check,
  state: "fail",
  text,
  advice,
});

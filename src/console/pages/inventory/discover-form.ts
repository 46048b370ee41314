/** Builds the API request body from the discovery form. */
import { credentialOf } from "../jobs/run-operation.ts";

const counts = ["limit", "sample", "concurrency", "max_failures"] as const;

/** @throws Error no selector, or an invalid number */
export function discoverOf(data: FormData): object {
  const entered = (name: string) => String(data.get(name) ?? "");
  const text = (name: string) => entered(name).trim();
  if (text("select") === "") throw new Error("Enter a selector.");
  const numbers = counts
    .filter((name) => text(name) !== "")
    .map((name) => [name, numberOf(name, text(name))]);
  const connection = present({
    username: text("username"),
    // Not trimmed: blanks are part of a password.
    password: entered("password"),
    credential: credentialOf(text("credential")),
  });
  const options = present({ label: text("label"), ticket: text("ticket") });
  return {
    select: text("select"),
    ...Object.fromEntries(numbers),
    ...(data.has("apply") ? { apply: true } : {}),
    ...(Object.keys(connection).length === 0 ? {} : { connection_args: connection }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
}

function present(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== "" && value !== undefined),
  );
}

function numberOf(name: string, input: string): number {
  const number = Number(input);
  if (!Number.isInteger(number)) throw new Error(`${name} must be a whole number.`);
  return number;
}

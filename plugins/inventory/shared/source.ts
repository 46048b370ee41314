/** What sources share: the schemas of their fields, and how a server's refusal is told. */
import { InventoryError } from "patchbay/plugin";
import * as v from "valibot";

export const plainText = (most: number) =>
  v.pipe(
    v.string("must be a string"),
    v.nonEmpty("must not be empty"),
    v.maxLength(most, `must have at most ${most} characters`),
    v.regex(/^[^\0-\x1f\x7f]*$/, "must not hold control characters"),
  );

export const field = <const S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema));

export function refusal(host: string, status: number): InventoryError {
  if (status === 401 || status === 403)
    return new InventoryError(
      "AuthenticationFailed",
      `${host} answered ${status}: it rejected the credential.`,
    );
  return new InventoryError("CommandError", `${host} answered ${status}.`);
}

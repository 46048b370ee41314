/** Files of copies: they hold sealed secrets and plain outputs, and are made for their owner only. */
import { closeSync, openSync } from "node:fs";
import { ServiceError } from "../base/errors.ts";

/** @throws ServiceError Validation: it is there already, or can not be made */
export function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ServiceError("Validation", `The copy can not be made at ${file}: ${why}.`);
  }
}

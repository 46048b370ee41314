/** Parses the stored payload of a job. */
import * as v from "valibot";
import { ServiceError } from "../../base/errors.ts";
import { type Payload, payload } from "./request.ts";

/** @throws ServiceError DriverError if it is damaged. */
export function readPayload(text: string | undefined): Payload {
  if (text === undefined)
    throw new ServiceError(
      "DriverError",
      "The stored request of this job is damaged and cannot be decrypted.",
    );
  return v.parse(payload, JSON.parse(text));
}

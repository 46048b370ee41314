/** Schemas of answers that no route has by itself: failures, and the envelope. */
import { failureSchemas } from "./openapi-failures.ts";
import { text } from "./openapi-schema.ts";

export const answerSchemas = failureSchemas;

/** The envelope around `data`. */
export function envelope(data: object, beside: object = {}): object {
  return {
    type: "object",
    required: ["code", "message", "data"],
    properties: { code: { type: "integer", const: 200 }, message: text, data, ...beside },
  };
}

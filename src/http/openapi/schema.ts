/** Small parts of JSON Schema. */

export const text = { type: "string" };
export const integer = { type: "integer" };
export const number = { type: "number" };
export const anyObject = { type: "object", additionalProperties: true };
export const listOf = (items: object) => ({ type: "array", items });
export const texts = listOf(text);
export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const bytes = { type: "string", format: "binary" };

/** Schemas of the API answers about roles and persons, validated on arrival. */
import type * as v from "valibot";
import { personRecord, rolePreview, roleRecord } from "../../api/access/person.ts";
import { reader } from "../../api/schema.ts";

export const role = reader(roleRecord);
export type Role = v.InferOutput<typeof role>;
export const person = reader(personRecord);
export const preview = reader(rolePreview);
export type Preview = v.InferOutput<typeof preview>;

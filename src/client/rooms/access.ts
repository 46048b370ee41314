/** What the client reads of roles and persons. */
import * as v from "valibot";
import { forgottenPerson, personRecord, rolePreview, roleRecord } from "../../api/access/person.ts";
import { reader } from "../../api/schema.ts";

export const storedRole = reader(roleRecord);
export const roleList = v.array(storedRole);
export const storedPerson = reader(personRecord);
export const personList = v.array(storedPerson);
export const preview = reader(rolePreview);
export const forgotten = reader(forgottenPerson);

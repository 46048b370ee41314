/** Whether a database was encrypted with the master key of this node. */
import { ServiceError } from "../../base/errors.ts";
import type { Cipher } from "../cipher.ts";
import { otherMasterKey } from "../port.ts";
import { fieldsOf, type Rows, rowShape } from "../sql/rows.ts";
import type { Statement } from "../sql/statement.ts";
import { keyCheck, meta } from "../tables.ts";

const wordRow = rowShape(fieldsOf(meta, "value"));

/**
 * The first start stores an encrypted word; a key that does not decrypt it would make every job unreadable.
 * @param batch sends statements to the database that is being opened
 */
export async function checkKey(
  batch: (statements: readonly Statement[]) => Promise<readonly Rows[]>,
  cipher: Cipher,
): Promise<void> {
  const word = Buffer.from(cipher.seal("patchbay", keyCheck)).toString("base64");
  const [, rows] = await batch([
    {
      sql: "insert into meta (key, value) values ('key', :word) on conflict (key) do nothing",
      args: { word },
    },
    { sql: `select ${wordRow.columns} from meta where key = 'key'`, args: {} },
  ]);
  const [stored] = wordRow.read(rows);
  try {
    cipher.open(Buffer.from(stored?.value ?? "", "base64"), keyCheck);
  } catch (error) {
    const message =
      "This database was encrypted with another master key. Provide the right one (PATCHBAY_MASTER_KEY, or the file master.key of the data directory).";
    throw new ServiceError("Unavailable", message, { reason: otherMasterKey }, { cause: error });
  }
}

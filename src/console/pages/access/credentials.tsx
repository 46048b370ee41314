/** Credentials stored on the appliance: names, fields and dates, never values. */
import * as v from "valibot";
import { Action } from "../../parts/action.tsx";
import { Adding } from "../../parts/forms/adding.tsx";
import { RecordForm } from "../../parts/forms/record-form.tsx";
import { filtered, Mine } from "../../parts/lists/mine.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Prose } from "../../parts/prose.tsx";
import { ask } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { credential, submitterText } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

const word = v.string();
/** The fields that most devices want; the JSON may have any. */
const stored = { ref: word, username: word, password: word, secret: word, pkey: word, passphrase: word };

export function CredentialsPage() {
  const path = filtered("/credential");
  const { data, error, reload } = useLoad((signal) => ask(v.array(credential), path, { signal }), [path]);
  const remove = (source: string, ref: string) => async () => {
    const path = `/credential/${encodeURIComponent(ref)}?source=${encodeURIComponent(source)}`;
    await ask(v.unknown(), path, { method: "DELETE" });
    reload();
  };
  return (
    <>
      <h1>{text.nav.credentials}</h1>
      <p class="faint">
        <Prose of={text.credentialsHint} />
      </p>
      <Adding label={text.newCredential} beside={<Mine />}>
        {(done) => (
          <RecordForm
            entries={stored}
            label={text.newCredential}
            labels={{ ref: "reference" }}
            required={["ref"]}
            secret={["password", "secret", "passphrase"]}
            long={["pkey"]}
            save={async ({ ref, ...body }) => {
              await ask(v.unknown(), `/credential/${encodeURIComponent(String(ref))}`, {
                method: "PUT",
                body,
              });
              reload();
              done();
            }}
          />
        )}
      </Adding>
      <Problem error={error} />
      {data && (
        <Table
          tools
          caption={text.nav.credentials}
          rows={data}
          keyOf={({ source, ref }) => `${source}:${ref}`}
          empty={text.noCredential}
          columns={[
            { head: "reference", cell: ({ source, ref }) => <code>{`${source}:${ref}`}</code> },
            { head: "fields", cell: ({ fields }) => fields.join(", ") },
            { head: "changed", at: ({ changed_at }) => changed_at },
            { head: "by", cell: ({ submitted_by }) => submitterText(submitted_by) },
            { head: "last used", at: ({ last_used_at }) => last_used_at },
            {
              head: "",
              cell: ({ source, ref }) => (
                <Action label={text.remove} sure={`Remove ${ref}?`} act={remove(source, ref)} />
              ),
            },
          ]}
        />
      )}
    </>
  );
}

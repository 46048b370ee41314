/** The words that lead a change on: only those that its state takes, each with what will happen. */
import * as v from "valibot";
import { type ChangeWord, editableChanges } from "../../../api/changes/change.ts";
import { Action } from "../../parts/action.tsx";
import { Decide } from "../../parts/decide.tsx";
import { ask, me } from "../../reading/api.ts";
import { to } from "../../route.ts";
import { changePath, leadsOn, type OneChange, say } from "../../shapes/changes.ts";
import { text } from "../../text/text.ts";
import { consequencesOf } from "./change-consequences.ts";
import { Foretold } from "./change-rehearsal.tsx";

/** The order of the buttons: none that comes while it runs stands before the one that stops it. */
const words = ["stop", "start", "resume", "pause", "return", "cancel"] as const satisfies ChangeWord[];
/** They take something away. */
const dangerous: ReadonlySet<ChangeWord> = new Set(["stop", "return", "cancel"]);

interface WordsProps {
  readonly of: OneChange;
  readonly done: () => void;
}

export function Words({ of, done }: WordsProps) {
  const isEditable = editableChanges.includes(of.state) && of.state !== "planning";
  const votes = of.votes.filter(({ revision }) => revision === of.revision).length;
  const plan = async () => {
    await ask(v.unknown(), changePath(of.id, "plan"), { method: "POST", body: {} });
    done();
  };
  return (
    <div class="actions">
      {words
        .filter((word) => leadsOn(word, of) && word !== "cancel")
        .map((word) => (
          <Word key={word} of={of} word={word} done={done} />
        ))}
      {isEditable && (
        <Action
          label={of.hash === null ? text.change.plan : text.change.planAgain}
          act={plan}
          {...(of.hash === null ? {} : { sure: text.change.surePlan(votes) })}
        />
      )}
      {isEditable && isAuthor(of) && (
        <a class="button quiet" href={to(["change", of.id], { edit: "true" })}>
          {text.change.edit}
        </a>
      )}
      {leadsOn("cancel", of) && <Word of={of} word="cancel" done={done} />}
    </div>
  );
}

function Word({ of, word, done }: WordsProps & { readonly word: ChangeWord }) {
  const act = async (note: string) => {
    await say(word, of, note);
    done();
  };
  return (
    <Decide label={text.change.words[word]} danger={dangerous.has(word)} act={act}>
      <ul>
        {consequencesOf(of, word).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {word === "start" && <Foretold of={of.rehearsal} />}
    </Decide>
  );
}

/** As far as names tell: the service decides by the id. */
export function isAuthor({ submitted_by: { kind, name } }: OneChange): boolean {
  return kind === "person" ? me.value?.person === name : me.value?.key === name;
}

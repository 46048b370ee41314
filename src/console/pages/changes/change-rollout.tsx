/** The part of the form of a change that says how it goes out, with what holds where nothing is said. */
import { changeDefaults } from "../../../api/changes/change-defaults.ts";
import { Choice, Field } from "../../parts/forms/field.tsx";
import type { Asked } from "../../shapes/changes.ts";
import { text } from "../../text/text.ts";
import { kindsOfLimit } from "./change-form.ts";

const words = text.change.form;

export function Rollout({ of }: { of: Asked | undefined }) {
  const { strategy, approvals } = of ?? {};
  const usual = changeDefaults;
  const canary = strategy?.canary;
  return (
    <fieldset>
      <legend>{words.rollout}</legend>
      <p class="faint">{words.usual}</p>
      <div class="fields">
        <Field
          label={words.canary}
          name="canary"
          value={Array.isArray(canary) ? canary.join(", ") : canary}
          usual={usual.canary}
        />
        <Field
          label={words.waves}
          name="waves"
          value={strategy?.waves?.join(", ")}
          usual={usual.waves.join(", ")}
        />
        <Choice label={words.spread} name="spread" value={strategy?.spread} of={["site", "role", "group"]} />
        <Field label={words.apart} name="apart" value={strategy?.apart} usual="vars.pair" />
        <Field
          label={words.soak}
          name="soak_seconds"
          whole
          value={strategy?.soak_seconds}
          usual={usual.soak_seconds}
        />
        <Choice
          label={words.gate}
          name="gate"
          value={strategy?.gate}
          of={["auto", "approval"]}
          usual={usual.gate}
        />
        {kindsOfLimit.map((kind) => (
          <Field
            key={kind}
            label={words.limits[kind]}
            name={`limit.${kind}`}
            value={strategy?.limits?.[kind]?.total}
            usual={usual.limits[kind].total}
          />
        ))}
        <Choice
          label={words.onStop}
          name="on_stop"
          value={of?.on_stop}
          of={["return", "keep"]}
          usual={usual.on_stop}
        />
        <label>
          {words.hold}
          <select name="hold">
            {(["device", "wave", "change"] as const).map((one) => (
              <option key={one} value={one} selected={one === (of?.hold ?? usual.hold)}>
                {words.holds[one]}
              </option>
            ))}
          </select>
        </label>
        <Field
          label={words.approvals}
          name="approvals"
          whole
          value={approvals?.count}
          usual={usual.approvals.count}
        />
        <Field
          label={words.hours}
          name="hours"
          whole
          value={approvals?.hours}
          usual={usual.approvals.hours}
        />
        <Field
          label={words.notBefore}
          name="not_before"
          value={of?.not_before}
          usual="2027-01-31T22:00:00Z"
        />
      </div>
      <label class="choice">
        <input type="checkbox" name="own_vote" defaultChecked={approvals?.not_author === false} />{" "}
        {words.ownVote}
      </label>
    </fieldset>
  );
}

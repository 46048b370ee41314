ALTER TABLE `change_votes` ADD `hash` text;--> statement-breakpoint
CREATE TABLE `change_events` (
	`n` integer PRIMARY KEY NOT NULL,
	`change_id` text NOT NULL,
	`step` integer NOT NULL,
	`at` integer NOT NULL,
	`event` text,
	`state` text NOT NULL,
	`wave` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `change_events_change` ON `change_events` (`change_id`,`n`);--> statement-breakpoint
CREATE TRIGGER `changes_event_of_new` AFTER INSERT ON `changes` BEGIN
	INSERT INTO `change_events` (`change_id`, `step`, `at`, `state`, `wave`)
	VALUES (new.id, new.step, new.created_at, new.state, new.wave);
END;
--> statement-breakpoint
CREATE TRIGGER `changes_event` AFTER UPDATE OF `step` ON `changes` WHEN new.step <> old.step BEGIN
	INSERT INTO `change_events` (`change_id`, `step`, `at`, `event`, `state`, `wave`)
	VALUES (
		new.id, new.step,
		coalesce((SELECT max(at) FROM `change_steps` WHERE change_id = new.id AND n <= new.step), new.created_at),
		CASE
			WHEN new.state = old.state THEN
				CASE WHEN new.wave > old.wave AND new.state = 'running' THEN 'change.wave' END
			WHEN new.state = 'running' THEN
				CASE old.state WHEN 'paused' THEN 'change.resumed' ELSE 'change.started' END
			WHEN new.state NOT IN ('draft', 'planning') THEN 'change.' || new.state
		END,
		new.state, new.wave);
END;
--> statement-breakpoint
CREATE TRIGGER `change_events_notice` AFTER INSERT ON `change_events`
WHEN new.event IS NOT NULL AND EXISTS (SELECT 1 FROM `webhooks`) BEGIN
	INSERT INTO `notices` (`id`, `kind`, `subject`, `at`, `detail`)
	VALUES (lower(hex(randomblob(16))), 'change.moved', new.change_id, new.at, CAST(new.n AS text));
END;

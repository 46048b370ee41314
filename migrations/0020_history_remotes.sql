CREATE TABLE `config_names` (
	`device` integer NOT NULL,
	`since` integer NOT NULL,
	`shown` text NOT NULL,
	`group_name` text,
	PRIMARY KEY(`device`, `since`)
);
--> statement-breakpoint
CREATE INDEX `config_names_shown` ON `config_names` (`shown`);--> statement-breakpoint
CREATE TABLE `config_remotes` (
	`name` text PRIMARY KEY NOT NULL,
	`own` text NOT NULL,
	`owner` text NOT NULL,
	`changed_at` integer NOT NULL,
	`next_t` integer DEFAULT 0 NOT NULL,
	`pushed_n` integer DEFAULT 0 NOT NULL,
	`pushed_at` integer,
	`head` text,
	`failing_since` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`error` text
);
--> statement-breakpoint
INSERT INTO `config_names` (`device`, `since`, `shown`, `group_name`) SELECT `id`, 0, `shown`, `group_name` FROM `config_devices`;
--> statement-breakpoint
CREATE TRIGGER `config_names_of_new` AFTER INSERT ON `config_devices` BEGIN
	INSERT INTO `config_names` (`device`, `since`, `shown`, `group_name`)
	VALUES (new.id, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'config_versions'), 0) + 1, new.shown, new.group_name);
END;
--> statement-breakpoint
CREATE TRIGGER `config_names_of_changed` AFTER UPDATE OF `shown`, `group_name` ON `config_devices`
WHEN new.shown <> old.shown OR new.group_name IS NOT old.group_name BEGIN
	INSERT OR REPLACE INTO `config_names` (`device`, `since`, `shown`, `group_name`)
	VALUES (new.id, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'config_versions'), 0) + 1, new.shown, new.group_name);
END;
--> statement-breakpoint
CREATE TRIGGER `config_names_of_deleted` AFTER DELETE ON `config_devices` BEGIN
	DELETE FROM `config_names` WHERE `device` = old.id;
END;

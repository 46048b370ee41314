CREATE TABLE `persons` (
	`id` text PRIMARY KEY NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`name` text NOT NULL,
	`email` text,
	`groups` text NOT NULL,
	`created_at` integer NOT NULL,
	`signed_in_at` integer NOT NULL,
	`blocked_at` integer,
	`forgotten_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `persons_name_unique` ON `persons` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `persons_subject` ON `persons` (`issuer`,`subject`);--> statement-breakpoint
CREATE TABLE `roles` (
	`name` text PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`issuer` text,
	`groups` text NOT NULL,
	`subjects` text NOT NULL,
	`scope` text NOT NULL,
	`hosts` text NOT NULL,
	`credentials` text,
	`rights` text NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `keys` ADD `person_id` text;--> statement-breakpoint
CREATE INDEX `keys_person` ON `keys` (`person_id`) WHERE `person_id` IS NOT NULL;--> statement-breakpoint
ALTER TABLE `login_sessions` ADD `provider_session` text;--> statement-breakpoint
ALTER TABLE `login_sessions` ADD `latest_end` integer;

ALTER TABLE `changes` ADD `origin` text;--> statement-breakpoint
ALTER TABLE `changes` ADD `proposal` text;--> statement-breakpoint
ALTER TABLE `changes` ADD `proposed` text;--> statement-breakpoint
CREATE INDEX `changes_proposal` ON `changes` (`holder`,`proposal`) WHERE proposal is not null;

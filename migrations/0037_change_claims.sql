ALTER TABLE `changes` ADD `claimed_by` text;

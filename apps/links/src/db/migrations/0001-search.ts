/**
 * The index of the word search (L6.7): one document for each link, with its label, URL, owner and
 * slugs. Three characters in a row are a key of the index, so parts of words are found too, and no
 * extension of PostgreSQL is needed. Triggers maintain it, so no code path can forget it.
 */

/**
 * The record separator before and after each slug. Search texts never contain it. It is ASCII, since
 * PostgreSQL knows no other characters by number in a database without an encoding.
 */
const MARK = { sqlite: 'char(30)', postgres: 'chr(30)' }

/** The document with another search text and the same slugs. */
const changedDocument = (find: string, mark: string, searchText: string) =>
  `${searchText} || substr(doc, ${find})`.replaceAll('MARK', mark)

export const searchTables = {
  sqlite: [
    `create table link_search (
      link_id integer primary key references link (id) on delete cascade,
      doc text not null
    ) strict`,
    `create virtual table link_trigram using fts5 (
      doc, content = 'link_search', content_rowid = 'link_id', tokenize = 'trigram case_sensitive 1',
      detail = none, columnsize = 0
    )`,
  ],
  postgres: [
    `create table link_search (
      link_id bigint primary key references link (id) on delete cascade,
      doc text collate "C" not null
    )`,
    // Three bytes are a key. The cost keeps the planner from computing the keys of each row instead of
    // using the index.
    `create function trigrams(doc text) returns int[] language plpgsql immutable strict parallel safe
      cost 100000 as $$
    declare
      bytes bytea := convert_to(doc, 'UTF8');
      keys int[] := '{}';
    begin
      for i in 1 .. length(bytes) - 2 loop
        keys[i] := (get_byte(bytes, i - 1) << 16) | (get_byte(bytes, i) << 8) | get_byte(bytes, i + 1);
      end loop;
      return keys;
    end $$`,
    'create index link_trigram on link_search using gin (trigrams(doc))',
  ],
}

const mark = MARK.sqlite
const addKeys = 'insert into link_trigram (rowid, doc) values (new.link_id, new.doc);'
const removeKeys = `insert into link_trigram (link_trigram, rowid, doc) values ('delete', old.link_id, old.doc);`
const isAppended = '(substr(new.doc, 1, length(old.doc)) = old.doc)'

/**
 * The automatic slug, of which a link has one, comes last when a link is created: its document is
 * written once.
 */
const sqliteTriggers = [
  `create trigger link_search_begin after insert on slug when new.is_custom = 0 begin
    insert into link_search (link_id, doc) select id, search_text || ${mark}
      || (select group_concat(slug, ${mark}) from slug where link_id = new.link_id) || ${mark}
      from link where id = new.link_id;
  end`,
  `create trigger link_search_slug_insert after insert on slug when new.is_custom = 1 begin
    update link_search set doc = doc || new.slug || ${mark} where link_id = new.link_id;
  end`,
  `create trigger link_search_slug_delete after delete on slug begin
    update link_search set doc = replace(doc, ${mark} || old.slug || ${mark}, ${mark})
      where link_id = old.link_id;
  end`,
  `create trigger link_search_text after update of search_text on link
    when new.search_text <> old.search_text begin
    update link_search set doc = ${changedDocument('instr(doc, MARK)', mark, 'new.search_text')}
      where link_id = new.id;
  end`,
  // Before its slugs are deleted one by one.
  `create trigger link_search_end before delete on link begin
    delete from link_search where link_id = old.id;
  end`,
  `create trigger link_trigram_insert after insert on link_search begin ${addKeys} end`,
  // A slug was added: its keys, with those across its boundary, join the others of the document. For
  // a link with 5,000 slugs, writing all keys takes more than 20 times as long.
  `create trigger link_trigram_append after update on link_search when ${isAppended} begin
    insert into link_trigram (rowid, doc) values (new.link_id, substr(new.doc, length(old.doc) - 1));
  end`,
  `create trigger link_trigram_update after update on link_search when not ${isAppended} begin
    ${removeKeys} ${addKeys}
  end`,
  `create trigger link_trigram_delete after delete on link_search begin ${removeKeys} end`,
]

const chr = MARK.postgres

/**
 * Once for a whole statement. Each update changes the document that it finds, so concurrent changes
 * of one link do not undo each other.
 */
const postgresTriggers = [
  `create function begin_link_search() returns trigger language plpgsql as $$
    begin
      insert into link_search (link_id, doc)
        select id, search_text || ${chr}
          || (select string_agg(slug, ${chr}) from slug where link_id = link.id) || ${chr}
        from link where id in (select link_id from added where is_custom = 0);
      update link_search set doc = doc || slugs || ${chr}
        from (select link_id, string_agg(slug, ${chr}) as slugs from added
          group by link_id having min(is_custom) = 1) as more
        where link_search.link_id = more.link_id;
      return null;
    end $$`,
  `create trigger link_search_slug_insert after insert on slug referencing new table as added
    for each statement execute function begin_link_search()`,
  `create function remove_from_link_search() returns trigger language plpgsql as $$
    begin
      update link_search set doc = replace(doc, ${chr} || OLD.slug || ${chr}, ${chr})
        where link_id = OLD.link_id;
      return null;
    end $$`,
  `create trigger link_search_slug_delete after delete on slug
    for each row execute function remove_from_link_search()`,
  `create function change_link_search() returns trigger language plpgsql as $$
    begin
      update link_search set doc = ${changedDocument('strpos(doc, MARK)', chr, 'NEW.search_text')}
        where link_id = NEW.id;
      return null;
    end $$`,
  `create trigger link_search_text after update of search_text on link for each row
    when (NEW.search_text <> OLD.search_text) execute function change_link_search()`,
  `create function end_link_search() returns trigger language plpgsql as $$
    begin
      delete from link_search where link_id = OLD.id;
      return OLD;
    end $$`,
  `create trigger link_search_end before delete on link for each row execute function end_link_search()`,
]

export const searchTriggers = { sqlite: sqliteTriggers, postgres: postgresTriggers }

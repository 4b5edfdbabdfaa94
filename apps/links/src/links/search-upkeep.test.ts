import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { NOW, TestDatabase, closeAfterEach } from '../../test/test-database.ts'
import { saveInstanceValue } from '../preferences/store.ts'
import { selectByWords } from './list.ts'
import { mergeIndex } from './merge-index.ts'
import { refoldTexts } from './refold.ts'
import { deleteLinkRow, lockLinkForWrite, updateLinkRow } from './store.ts'

const { closeLater } = closeAfterEach()

eachDialect((dialect, newUrl) => {
  async function open() {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const label = (id: number, text: string) =>
      stored.recorded.write(async (tx) => {
        const row = await lockLinkForWrite(tx, stored.database, id)
        if (row) await updateLinkRow(tx, row, { label: text }, NOW)
      })
    const find = async (search: string) => {
      const matches = await selectByWords(stored.database, { search, status: 'all' }, NOW)
      return (await matches.select('link.id').execute()).map(({ id }) => id)
    }
    return { stored, label, find }
  }

  test('L6.9: accents do not count, also in texts that an earlier version has stored', async () => {
    const { stored, label, find } = await open()
    const id = await stored.createLink('one')
    await label(id, 'Café İstanbul')
    expect(await find('cafe')).toEqual([id])
    expect(await find('CAFÉ istanbul')).toEqual([id])
    await stored.run(sql`update link set search_text = replace(search_text, 'cafe', 'café')`)
    expect(await find('cafe')).toEqual([])
    await stored.database.write((tx) => saveInstanceValue(tx, 'refolding', '0'))
    await refoldTexts(stored.database)
    expect(await find('cafe')).toEqual([id])
  })

  if (dialect === 'sqlite')
    test('L6.9a: parts of words of deleted and changed links leave the pages of the index', async () => {
      const { stored, label, find } = await open()
      const [deleted, changed, keptId] = [
        await stored.createLink('two'),
        await stored.createLink('three'),
        await stored.createLink('four'),
      ]
      await label(deleted, '漢字語 1')
      await label(changed, '漢字語 2')
      await label(keptId, 'marimba')
      const isInPages = async (part: string) => {
        const pages = await stored.rows<{ block: Uint8Array }>('select block from link_trigram_data')
        return pages.some(({ block }) => Buffer.from(block).includes(part))
      }
      expect(await isInPages('漢字語')).toBe(true)
      await stored.recorded.write(async (tx) => {
        if (await lockLinkForWrite(tx, stored.database, deleted))
          await deleteLinkRow(tx, stored.database, deleted)
      })
      await label(changed, 'nothing')
      await mergeIndex(stored.database, NOW)
      expect(await isInPages('漢字語')).toBe(false)
      expect(await find('marimba')).toEqual([keptId])
      await stored.run(sql`insert into link_trigram (link_trigram, rank) values ('integrity-check', 1)`)
    })
})

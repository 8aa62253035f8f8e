-- How a count changed: the ratio of two rates a day, now over before, as a struct of `estimate`, `low` and `high`, the
-- ends of its 95 % interval, `p`, `certainty`, `is_small`, and `verdict`: `fewer` or `more`, see change_certainty and
-- change_verdict. The score test of two Poisson rates, see dispersion_p; where there are few, the exact conditional
-- test too, of as many bursts as the dispersion makes of them, and the larger p of both. Of counts that begin at none
-- the ratio is infinite. Null when nothing was counted on either side. Source: Przyborowski and Wilenski 1940,
-- Biometrika 31, 313-323; the interval is Wilson's of the share that fell into now.
-- rule: Change of a count: rates a day, widened by the dispersion of this figure, which is how much its weeks, and up
--   to 12 before them, differ beyond chance; exact where they are few.
-- columns:
-- count_now: events of the period in question
-- days_now: its length in days
-- count_before: events of the period it is compared with
-- days_before: its length in days
-- dispersion: count_dispersion of the weeks of both, and of those before them where they are known
create or replace macro count_change(count_now, days_now, count_before, days_before, dispersion) as
  list_transform(
    list_transform(
      list_transform(
        [{
          'now': count_now,
          'all': count_now + count_before,
          'share': days_now / (days_now + days_before),
          'dispersion': dispersion,
          'z': dispersion_z95(dispersion),
          'bursts_now': round(count_now / greatest(1, dispersion.phi)),
          'bursts': round(count_now / greatest(1, dispersion.phi)) + round(count_before / greatest(1, dispersion.phi))
        }],
        lambda given: case
          when given."all" > 0 and given.share > 0 and given.share < 1 and given.z is not null then struct_pack(
            share := given.now / given."all",
            ends := wilson_interval(given.now, given."all", z := given.z),
            odds := (1 - given.share) / given.share,
            p := greatest(
              dispersion_p(
                (given.now - given."all" * given.share) / sqrt(given."all" * given.share * (1 - given.share)),
                given.dispersion
              ),
              binomial_p(given.bursts_now, given.bursts, given.share)
            )
          )
        end
      ),
      lambda found: case
        when found.p is not null then struct_pack(
          estimate := found.share / (1 - found.share) * found.odds,
          low := found.ends.low / (1 - found.ends.low) * found.odds,
          -- The interval of all of them ends at 1, but for the last digit.
          high := if(found.share = 1, 'infinity'::double, found.ends.high / (1 - found.ends.high) * found.odds),
          p := found.p
        )
      end
    ),
    lambda found: case
      when found.p is not null then struct_pack(
        estimate := found.estimate,
        low := found.low,
        high := found.high,
        p := found.p,
        certainty := change_certainty(found.p, sign(found.estimate - 1), found.low > 1 or found.high < 1),
        is_small := found.low >= 0.75 and found.high <= 4 / 3,
        verdict := change_verdict(
          change_certainty(found.p, sign(found.estimate - 1), found.low > 1 or found.high < 1),
          sign(found.estimate - 1),
          found.low >= 0.75 and found.high <= 4 / 3,
          'fewer',
          'more'
        )
      )
    end
  )[1]
